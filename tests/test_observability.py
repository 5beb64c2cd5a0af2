"""Logs are JSON lines, metrics are EMF, and neither carries what only two parties may know."""

from __future__ import annotations

import itertools
import json
import logging
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from chalicelib.observability import DIRECT, METRICS, NAMESPACE, Observer, redact
from tests.parley import Parley

SECRETS = ("s3cret-answer", "Deploy to production?")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Fact:
    type: str
    data: Mapping[str, Any] = field(default_factory=dict)


@pytest.fixture
def observer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Observer]:
    """One that writes to what pytest captures now; the loggers are left as they were."""
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
    library = logging.getLogger("parley")
    kept = library.handlers, library.propagate
    made = Observer(f"parley-{next(_numbers)}")
    yield made
    made.metrics.clear_metrics()
    library.handlers, library.propagate = kept


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/a/WyJr.c2ln", "/a/[token]"),
        ("/a/WyJr.c2ln/status", "/a/[token]/status"),
        ("https://x.example/a/t?x=1 next", "https://x.example/a/[token] next"),
        ("/api/v1/elicitations/session/WyJr/abc", "/api/v1/elicitations/session/[token]/abc"),
        ("/api/v1/sessions/session_1", "/api/v1/sessions/session_1"),
        ("/api/v1/elicitations/abc", "/api/v1/elicitations/abc"),
    ],
)
def test_paths_are_logged_without_their_tokens(path: str, shown: str) -> None:
    assert redact(path) == shown


def test_each_fact_is_one_json_line(observer: Observer, capsys: pytest.CaptureFixture[str]) -> None:
    observer.facts([Fact("elicitation.created", {"request_id": "r"}), Fact("session.running")])
    first, second = lines(capsys.readouterr().err)
    assert (first["message"], first["data"]) == ("elicitation.created", {"request_id": "r"})
    assert (first["level"], first["service"]) == ("INFO", observer.log.service)
    assert second["message"] == "session.running"


def test_the_librarys_own_loggers_write_the_same_lines(
    observer: Observer, capsys: pytest.CaptureFixture[str]
) -> None:
    observer.log.info("first")
    logging.getLogger("parley.storage").warning("storage is busy: %s", "Throttling")
    told = lines(capsys.readouterr().err)
    assert [line["message"] for line in told] == ["first", "storage is busy: Throttling"]


def test_counted_facts_become_one_emf_line_at_the_flush(
    observer: Observer, capsys: pytest.CaptureFixture[str]
) -> None:
    answered = {"request_id": "r", "action": "decline", "after_ms": 1234}
    observer.facts([Fact("elicitation.answered", answered), Fact("session.running")])
    observer.seconds("OldestOverdueSeconds", 7)
    assert capsys.readouterr().out == ""
    observer.flush()
    (emf,) = lines(capsys.readouterr().out)
    (told,) = emf["_aws"]["CloudWatchMetrics"]
    assert (told["Namespace"], told["Dimensions"]) == (NAMESPACE, [["service"]])
    assert {metric["Name"]: metric["Unit"] for metric in told["Metrics"]} == {
        "ElicitationAnswered": "Count",
        "ElicitationDeclined": "Count",
        "AnswerLatencyMs": "Milliseconds",
        "OldestOverdueSeconds": "Seconds",
    }
    assert emf["AnswerLatencyMs"] == [1234.0]
    assert re.fullmatch(r"parley-\d+", emf["service"])


def test_nothing_counted_writes_nothing_and_nothing_is_told_twice(
    observer: Observer, capsys: pytest.CaptureFixture[str]
) -> None:
    observer.flush()
    observer.count("PollDegraded")
    observer.flush()
    observer.flush()
    assert len(lines(capsys.readouterr().out)) == 1


def test_metrics_that_are_not_printed_do_not_pile_up(
    observer: Observer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Powertools writes at the hundredth value, whatever it was told."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    for _ in range(150):
        observer.count("PollDegraded")
        observer.flush()
    assert capsys.readouterr().out == ""


def test_threads_may_be_the_first_to_count_and_to_log(observer: Observer) -> None:
    def work() -> None:
        for _ in range(30):
            observer.count("PollDegraded")
            observer.log.debug("looked")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert observer.metrics.metric_set["PollDegraded"]["Value"]


def test_a_metric_has_one_name_and_one_way_to_be_counted() -> None:
    names = [*METRICS.values(), *DIRECT]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", name) for name in names)


@pytest.mark.engine
def test_a_round_trip_logs_no_content_no_message_and_no_token(
    parley: Parley, observer: Observer, capsys: pytest.CaptureFixture[str]
) -> None:
    parley.services.observer = observer
    session = parley.open_session()
    token = session["env"]["ELICITATION_REQUEST_URL"].rpartition("/")[2]
    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    request_id = parley.ask(session, requestedSchema=schema).json["requestId"]
    parley.run_queue("notices")
    link = parley.mails()[0]["link"].rpartition("/")[2]
    assert parley.http("GET", f"/a/{link}", key=None).status == 200
    assert parley.respond(request_id, "accept", {"word": SECRETS[0]}).status == 200
    assert parley.poll(session, request_id).json["content"] == {"word": SECRETS[0]}
    written = capsys.readouterr()
    facts = {line["message"] for line in lines(written.err)}
    assert facts >= {"elicitation.created", "notice.sent", "elicitation.answered"}
    for private in (*SECRETS, token, link, parley.key):
        assert private not in written.err + written.out
