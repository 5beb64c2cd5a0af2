"""When a question expires: whose word counts, within which bounds (zimmer 4; 25-37, 63-67)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.parley import Parley, instant

EXPIRES_AT = "com.pulsemcp/expires-at"


def window(parley: Parley, wish: Any = None, **environ: str) -> timedelta:
    """How long a question stays open that is asked with this wish at this configuration."""
    service = parley.configured(**environ) if environ else parley
    meta = {} if wish is None else {EXPIRES_AT: wish}
    got = service.ask(service.open_session(), meta=meta)
    assert got.status == 201, got.text
    return instant(got.json["_meta"][EXPIRES_AT]) - parley.clock.now


def wish(parley: Parley, **ahead: float) -> str:
    """An `expires-at` as clients of the protocol write it."""
    at = parley.clock.now + timedelta(**ahead)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def test_without_any_wish_a_question_waits_sixty_minutes(parley: Parley) -> None:
    """25, 26, 63."""
    assert window(parley) == timedelta(minutes=60)


def test_the_operators_minutes_replace_the_default(parley: Parley) -> None:
    """27, 33, 64; written as people write numbers."""
    for raw, minutes in {"90": 90, " 240 ": 240, "+15": 15, "1": 1}.items():
        assert window(parley, ELICITATION_EXPIRATION_MINUTES=raw) == timedelta(minutes=minutes)


def test_an_unusable_knob_is_ignored(parley: Parley) -> None:
    """28-30: a deploy never fails over it, and nobody's question ends at once."""
    for raw in ("soon", "0", "-5", "90.5", "1e3", "", "  ", "0x10", "\u0663\u0660"):
        assert window(parley, ELICITATION_EXPIRATION_MINUTES=raw) == timedelta(minutes=60), raw


def test_the_operators_minutes_are_held_to_seven_days(parley: Parley) -> None:
    """32."""
    assert window(parley, ELICITATION_EXPIRATION_MINUTES="20000") == timedelta(days=7)


def test_the_askers_wish_beats_the_operators_minutes(parley: Parley) -> None:
    """34, 65, 67: to the millisecond, in any zone."""
    long = {"ELICITATION_EXPIRATION_MINUTES": "240"}
    assert window(parley, wish(parley, minutes=3), **long) == timedelta(minutes=3)
    assert window(parley, wish(parley, minutes=30)) == timedelta(minutes=30)
    exact = timedelta(seconds=90, milliseconds=123)
    assert window(parley, wish(parley, seconds=90.123)) == exact
    at = parley.clock.now + timedelta(minutes=10)
    abroad = (at + timedelta(hours=5, minutes=30)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+05:30"
    assert window(parley, abroad) == timedelta(minutes=10)


def test_a_wish_is_held_to_one_minute_and_seven_days(parley: Parley) -> None:
    """D8 and zimmer 4: clamped, never refused."""
    for ahead, held in (
        ({"seconds": 5}, timedelta(minutes=1)),
        ({"days": -400}, timedelta(minutes=1)),
        ({"days": 8}, timedelta(days=7)),
        ({"days": 300_000}, timedelta(days=7)),
    ):
        assert window(parley, wish(parley, **ahead)) == held, ahead
    assert window(parley, "0001-01-01T00:00:00+14:00") == timedelta(minutes=60), "no such instant"


def test_what_is_no_rfc_3339_instant_counts_as_absent(parley: Parley) -> None:
    """66 and zimmer 4: no lenient parsing, whose accidents are deadlines in the past."""
    no_instants: list[Any] = [
        "soon", "", "Tuesday", "12:00", "2030-01-01", "2030-01-01T00:00:00", "1893456000",
        1893456000000, True, {}, ["2030-01-01T00:00:00Z"], "2030-13-01T00:00:00Z",
        "2030-01-01T00:00:00Z" + " " * 100,
    ]  # fmt: skip
    for raw in no_instants:
        minutes = window(parley, raw, ELICITATION_EXPIRATION_MINUTES="240") / timedelta(minutes=1)
        assert minutes == 240, raw


def test_a_deadline_is_the_first_instant_that_is_too_late(parley: Parley) -> None:
    """9, 10, 14, 16, 17, D7."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.clock.turn(minutes=60, milliseconds=-1)
    assert parley.poll(session, request_id).json["action"] == "pending"
    assert parley.session(session["id"])["status"] == "needs_input"
    parley.clock.turn(milliseconds=1)
    assert parley.poll(session, request_id).json["action"] == "expired"


def test_the_timer_expires_at_the_deadline_and_not_before(parley: Parley) -> None:
    """12 of the weaknesses: without a poll and without the sweep, the session is freed."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    parley.ring(request_id)
    parley.clock.turn(minutes=59, seconds=59)
    parley.ring(request_id)
    assert "elicitation.expired" not in [event["type"] for event in parley.events(session["id"])]
    parley.clock.turn(seconds=1)
    parley.ring(request_id, times=3)
    told = [event["type"] for event in parley.events(session["id"])]
    assert told.count("elicitation.expired") == 1
    assert parley.poll(session, request_id).json["action"] == "expired"


def test_a_timer_that_rings_early_is_set_again(parley: Parley) -> None:
    """SQS delays by 15 minutes at most; and one for a gone question is dropped."""
    session = parley.open_session()
    request_id = parley.ask(session, meta={EXPIRES_AT: wish(parley, minutes=20)}).json["requestId"]
    url = parley.services.settings.timers_queue_url

    def waiting() -> int:
        found = parley.aws.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        counts = found["Attributes"]
        return int(counts["ApproximateNumberOfMessages"]) + int(
            counts["ApproximateNumberOfMessagesDelayed"]
        )

    assert waiting() == 1
    parley.clock.turn(minutes=15)
    parley.ring(request_id)
    assert waiting() == 2
    parley.respond(request_id, "decline")
    parley.ring(request_id)
    parley.ring("gone")
    assert waiting() == 2
