"""Names of events are part of the API: stable, unique, and counted under their own names."""

from __future__ import annotations

import re

from chalicelib.domain import events
from chalicelib.observability import METRICS

NAMES = [value for name, value in vars(events).items() if name.isupper() and isinstance(value, str)]


def test_names_are_unique_and_say_of_what_they_are() -> None:
    assert len(NAMES) == len(set(NAMES)) > 10
    for name in NAMES:
        assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", name)


def test_what_is_counted_happens() -> None:
    """A metric of a misspelled event would stay at zero for ever."""
    ours = {name for name in METRICS if name.partition(".")[0] in ("session", "elicitation")}
    assert ours <= set(NAMES)
