"""Which names and values a secret may have, and the life of a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.domain.errors import InvalidInput, TooLarge
from chalicelib.domain.secret import SecretRequest, SecretState, check_name, check_value

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
REQUEST = SecretRequest(
    handle="h", principal="ada", session_id="s", name="A", expires_at=NOW + timedelta(minutes=15)
)
LATE = REQUEST.expires_at


@pytest.mark.parametrize("name", ["A", "_a", "stripe.key-2", "A" * 255])
def test_a_name_that_variables_and_headers_can_have_is_taken(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", ["", "1A", "-A", ".A", "A B", "A#B", "Ä", "A\n", "A" * 256])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name(name)
    assert [problem.path for problem in refused.value.fields] == ["name"]


def test_a_value_has_a_byte_and_at_most_4096_of_them() -> None:
    for value in ("x", "x" * 4096, "é" * 2048, " "):
        check_value(value)
    for value in ("", "\ud800"):
        with pytest.raises(InvalidInput):
            check_value(value)
    for value in ("x" * 4097, "é" * 2049):
        with pytest.raises(TooLarge, match="4096 bytes") as refused:
            check_value(value)
        assert value not in str(refused.value)


@pytest.mark.parametrize(
    ("request_", "now", "state", "is_open", "takes_value"),
    [
        (REQUEST, NOW, SecretState.PENDING, True, True),
        (REQUEST, LATE - timedelta(milliseconds=1), SecretState.PENDING, True, True),
        (REQUEST, LATE, SecretState.EXPIRED, False, False),
        (replace(REQUEST, recorded=SecretState.STORED), NOW, SecretState.STORED, True, False),
        (replace(REQUEST, recorded=SecretState.STORED), LATE, SecretState.STORED, False, False),
        (replace(REQUEST, recorded=SecretState.DECLINED), NOW, SecretState.DECLINED, True, False),
        (replace(REQUEST, is_closed=True), NOW, SecretState.PENDING, False, False),
    ],
)
def test_a_request_is_open_until_closed_or_due_and_takes_one_value(
    request_: SecretRequest, now: datetime, state: SecretState, is_open: bool, takes_value: bool
) -> None:
    assert request_.state(now) is state
    assert request_.is_open(now) is is_open
    assert request_.takes_value(now) is takes_value
