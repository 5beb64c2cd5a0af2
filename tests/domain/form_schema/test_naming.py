"""Names as people read them."""

from __future__ import annotations

import pytest

from chalicelib.domain.form_schema.naming import humanised, words


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("confirm", "Confirm"),
        ("target_env", "Target env"),
        ("targetEnv", "Target env"),
        ("dry-run", "Dry run"),
        ("HTTPPort", "HTTP port"),
        ("userID", "User ID"),
        ("API_KEY_ID", "Api key id"),
        ("step2", "Step2"),
        ("größe", "Größe"),
        ("नाम", "नाम"),
        ("日本", "日本"),
        ("__", "__"),
    ],
)
def test_a_name_becomes_a_title(name: str, title: str) -> None:
    assert humanised(name) == title


def test_words_are_split_at_case_and_punctuation() -> None:
    assert words("Your APIKey_v2 (old)?") == ["Your", "API", "Key", "v2", "old"]
