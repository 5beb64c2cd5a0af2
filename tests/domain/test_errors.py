"""Error codes are part of the API: stable, unique, and each with a status."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chalicelib.api.problems import STATUSES, status_of
from chalicelib.domain.errors import ParleyError, RateLimited


def kinds(base: type[ParleyError] = ParleyError) -> Iterator[type[ParleyError]]:
    """Every error there is."""
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_codes_are_unique_words() -> None:
    codes = [kind.code for kind in set(kinds()) if kind.__module__.startswith("chalicelib")]
    assert len(codes) == len(set(codes))
    for code in codes:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)


def test_every_error_has_a_status() -> None:
    for kind in set(kinds()):
        if kind.__module__.startswith("chalicelib"):
            error = kind.__new__(kind)
            assert 400 <= status_of(error) < 600, kind


def test_no_general_status_hides_a_special_one() -> None:
    for index, (kind, _) in enumerate(STATUSES):
        assert not any(issubclass(kind, earlier) for earlier, _ in STATUSES[:index])


def test_a_rate_limit_says_when_to_come_back() -> None:
    error = RateLimited("slow down", retry_after=7)
    assert (error.retry_after, error.details) == (7, {"retry_after": 7})
