"""`kill -9` at any moment of create and answer: nothing acknowledged is lost, nothing is torn.

One data folder is lived in throughout: runner and engine are killed together under concurrent
traffic, started again on what is left, and asked for everything that they had said.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.infra.local.running import Service, service
from tests.parley import path_of
from tests.slow.ledger import Ledger, Question

pytestmark = [pytest.mark.slow, pytest.mark.engine]

KILLS = 100
ASKERS = 3
QUESTIONS_EACH = 8
LONGEST_LIFE = 0.8
"""Seconds of traffic before a kill; by then most askers are in the middle of their questions."""

CUT_OFF = (OSError, http.client.HTTPException, json.JSONDecodeError)
"""What a caller sees when the service dies under its request."""

_numbers = itertools.count(1)


def test_a_hundred_kills_lose_nothing_acknowledged_and_tear_nothing(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    dice = random.Random(20260701)
    before: Ledger | None = None
    interrupted = 0
    for _ in range(KILLS):
        with service(data_dir) as running:
            if before is not None:
                _check_and_retry(running, before)
            before = _open_ledger(running)
            _live_and_die(running, before, data_dir / "engine.pid", dice)
        interrupted += any(_is_unsure(question) for question in before.questions)
    with service(data_dir) as running:
        assert before is not None
        _check_and_retry(running, before)
    assert interrupted > KILLS // 2, "the kills must hit requests, or nothing is shown"


def _check_and_retry(running: Service, ledger: Ledger) -> None:
    """What was told still stands; and whoever was not told asks again and is told one thing."""
    ledger.check(running)
    for question in ledger.questions:
        if not question.is_created:
            ledger.create(running, question)
        for answer in question.answers:
            ledger.answer(running, question, answer)
    ledger.check(running)


def _is_unsure(question: Question) -> bool:
    return not question.is_created or (bool(question.answers) and question.recorded is None)


def _open_ledger(running: Service) -> Ledger:
    status, opened = running.call("POST", "/api/v1/sessions", {})
    assert status == 201
    return Ledger(opened["id"], path_of(opened["env"]["ELICITATION_REQUEST_URL"]))


def _live_and_die(running: Service, ledger: Ledger, engine_pid: Path, dice: random.Random) -> None:
    failures: list[BaseException] = []
    threads = [
        threading.Thread(target=_ask_and_answer, args=(running, ledger, failures))
        for _ in range(ASKERS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(dice.uniform(0, LONGEST_LIFE))
    victims = [running.process.pid, int(engine_pid.read_text())]
    for pid in dice.sample(victims, k=len(victims)):
        with contextlib.suppress(ProcessLookupError):  # the engine ends with its runner
            os.kill(pid, signal.SIGKILL)
    running.process.wait()
    for thread in threads:
        thread.join()
    assert not failures, failures


def _ask_and_answer(running: Service, ledger: Ledger, failures: list[BaseException]) -> None:
    """Ask, and let two people answer differently; until the service dies or all is asked."""
    try:
        for _ in range(QUESTIONS_EACH):
            question = ledger.new(next(_numbers))
            ledger.create(running, question)
            rival = threading.Thread(target=_answer, args=(running, ledger, question, 2, failures))
            rival.start()
            _answer(running, ledger, question, 1, failures)
            rival.join()
    except CUT_OFF:
        pass
    except BaseException as failure:
        failures.append(failure)


def _answer(
    running: Service, ledger: Ledger, question: Question, n: int, failures: list[BaseException]
) -> None:
    try:
        ledger.answer(running, question, {"action_type": "accept", "content": {"n": n}})
    except CUT_OFF:
        pass
    except BaseException as failure:
        failures.append(failure)
