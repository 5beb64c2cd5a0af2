"""Lost round trips, explained."""

from __future__ import annotations

from chalicelib.domain.lost import LostReason
from chalicelib.web.lost_banner import lost_banner
from tests.web.samples import NOW, lost


def test_an_expired_question_says_that_the_agent_went_on() -> None:
    banner = lost_banner(lost(LostReason.EXPIRED))
    assert banner is not None
    assert banner.heading == "Nobody answered in time"
    assert "went on without approval" in banner.explanation
    assert not banner.is_stranded


def test_a_stranded_question_says_that_nothing_is_blocked_any_more() -> None:
    banner = lost_banner(lost(LostReason.STRANDED, at=NOW, summary=None))
    assert banner is not None
    assert "Nothing holds the session up now" in banner.explanation
    assert banner.is_stranded
    assert banner.summary is None
    assert banner.at == NOW


def test_without_a_record_there_is_no_banner() -> None:
    assert lost_banner(None) is None
