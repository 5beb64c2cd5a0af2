"""Who asks."""

from __future__ import annotations

import pytest

from chalicelib.web.asker import asker_of
from tests.web.samples import elicitation


@pytest.mark.parametrize(
    ("title", "shown"),
    [("Nightly release", "Nightly release"), (None, "session_1"), ("", "session_1")],
)
def test_a_session_is_named_by_title_or_id(title: str | None, shown: str) -> None:
    assert asker_of(elicitation(), title).session == shown


def test_tool_context_and_time_are_the_questions_own() -> None:
    asked = elicitation(tool_name=None, context="why")
    asker = asker_of(asked, None)
    assert (asker.tool, asker.context, asker.server) == (None, "why", None)
    assert asker.asked_at == asked.created_at
