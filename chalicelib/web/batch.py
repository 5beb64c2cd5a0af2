"""Declining several questions at once: first the list of what would be declined, then what became
of each one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.viewer import Viewer
from chalicelib.web.waiting import Waiting, lines


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclineResult:
    """What became of one question: `told` is our own words, such as "Declined"."""

    one: Waiting
    is_declined: bool
    told: str


def decline_review_page(
    *,
    chosen: Sequence[Waiting],
    gone: int = 0,
    viewer: Viewer,
    now: datetime,
    base_path: str,
) -> Page:
    """The list before the act. Confirming posts the same keys, as `key`, and `confirmed=yes` to
    `<base>/inbox/decline`. `gone` counts chosen questions that are no longer live."""
    return render_page(
        "decline_review.html",
        base_path=base_path,
        viewer=viewer,
        lines=lines(chosen, now),
        now_ms=round(now.timestamp() * 1000),
        gone=gone,
    )


def decline_results_page(
    *, results: Sequence[DeclineResult], viewer: Viewer, base_path: str
) -> Page:
    """One line a question, those that could not be declined first."""
    ordered = sorted(results, key=lambda result: result.is_declined)
    return render_page(
        "decline_results.html",
        base_path=base_path,
        viewer=viewer,
        results=ordered,
        declined=sum(result.is_declined for result in results),
    )
