"""The page that asks: a form in MCP's dialect, with Decline and Dismiss always there.

A form of exactly one boolean has no checkbox to forget: it is two buttons that each send a whole
answer, so that accepting can never silently mean `false` (facts zimmer 9.22).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.domain.elicitation import Elicitation
from chalicelib.domain.errors import FieldProblem
from chalicelib.domain.form_schema.fields import Field, Kind
from chalicelib.web.asker import Asker, asker_of
from chalicelib.web.controls import Control, Typed, controls, problems_by_field
from chalicelib.web.page import Page
from chalicelib.web.render import render_page
from chalicelib.web.times import TimeLeft, time_left
from chalicelib.web.viewer import Viewer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerForm:
    """What the template shows. `summary` lists (control id or empty, its title, what is wrong)."""

    message: str
    asker: Asker
    time: TimeLeft
    controls: Sequence[Control]
    summary: Sequence[tuple[str, str, str]]
    is_confirmation: bool


def answer_page(
    elicitation: Elicitation,
    *,
    fields: Sequence[Field],
    values: Typed | None = None,
    problems: Sequence[FieldProblem] = (),
    session_title: str | None,
    now: datetime,
    action_path: str,
    base_path: str,
    viewer: Viewer | None = None,
) -> Page:
    """The form of a live elicitation; 422 when it comes back with `problems`.

    `values` is the post as it came, by control name (`f0`, `f1`, ...), so that what was typed
    stays; None shows the defaults. `action_path` is absolute and receives a form post with `action`
    (accept, decline or cancel), the controls, and `csrf` when there is a viewer.
    """
    form = AnswerForm(
        message=elicitation.message,
        asker=asker_of(elicitation, session_title),
        time=time_left(elicitation.expires_at, now),
        controls=controls(fields, typed=values, problems=problems),
        summary=_summary(fields, problems),
        is_confirmation=[field.kind for field in fields] == [Kind.BOOLEAN],
    )
    return render_page(
        "answer.html",
        status=422 if problems else 200,
        base_path=base_path,
        form=form,
        action_path=action_path,
        viewer=viewer,
    )


def _summary(
    fields: Sequence[Field], problems: Sequence[FieldProblem]
) -> list[tuple[str, str, str]]:
    found = problems_by_field(fields, problems)
    listed = [("", "", message) for message in found.pop("", ())]
    for control in controls(fields, typed={}, problems=problems):
        listed += [(control.id, control.title, message) for message in control.errors]
    return listed
