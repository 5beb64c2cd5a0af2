"""The console mailbox: what is shown, what is kept, and that nothing in it moves the cursor."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from infra.local.context import LambdaContext
from infra.local.notices import as_mail, file_name, mailbox, notice_of
from infra.local.pump import Pump
from infra.local.resources import MAILBOX, Clients, ensure_all

EVENTS = Path(__file__).parents[2] / "events"


def envelope(**changes: Any) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((EVENTS / "sns_in_sqs_body.json").read_text())
    return recorded | changes


def test_a_notice_carries_its_link_its_ids_and_its_words() -> None:
    assert notice_of(envelope()) == {
        "link": "https://parley.example.com/a/tok",
        "request_id": "req_1-b",
        "session_id": "ses_1",
        "subject": "An agent asks: Which environment?",
        "text": "Which environment?",
        "attributes": {"session": "ses_1", "kind": "question"},
    }


@pytest.mark.parametrize("message", ["The endpoint is down.", "[1]", '"x"', "{broken"])
def test_a_body_that_is_not_an_object_is_the_text(message: str) -> None:
    notice = notice_of(envelope(Message=message))
    assert (notice["text"], notice["link"]) == (message, None)


def test_a_notice_without_subject_or_attributes_is_taken() -> None:
    bare = envelope()
    del bare["Subject"], bare["MessageAttributes"]
    notice = notice_of(bare)
    assert (notice["subject"], notice["attributes"]) == ("", {})


def test_control_characters_are_shown_and_not_obeyed() -> None:
    hostile = {"subject": "hi\x1b[2J\nBcc: all", "text": "one\n\x1b]0;owned\x07two\u202e"}
    shown = as_mail(hostile)
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert shown.splitlines()[1] == "Subject: hi[U+001B][2J Bcc: all"


def test_file_names_sort_by_time_and_repeat_for_the_same_message() -> None:
    times = ["2026-03-29T03:50:26.123Z", "2026-03-29T03:50:26.124Z", "2026-10-01T00:00:00.000Z"]
    names = [file_name(envelope(Timestamp=time)) for time in times]
    assert names == sorted(names)
    assert file_name(envelope()) == "20260329T035026.123Z-95df01b4-ee98-5cb9-9903-4c221d41eb5e.json"


def test_a_notice_is_shown_once_and_kept_for_its_owner_only(tmp_path: Path) -> None:
    shown: list[str] = []
    handler = mailbox(tmp_path / "notices", shown.append)
    handler.invoke({"Records": [{"body": json.dumps(envelope())}]}, LambdaContext("mailbox"))
    files = list((tmp_path / "notices").iterdir())
    assert [json.loads(file.read_text()) for file in files] == [notice_of(envelope())]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert len(shown) == 1


@pytest.mark.engine
def test_what_is_published_becomes_a_file(aws: Clients, tmp_path: Path) -> None:
    topic = ensure_all(aws)["PARLEY_INCIDENTS_TOPIC_ARN"]
    url = aws.sqs.get_queue_url(QueueName=MAILBOX)["QueueUrl"]
    aws.sns.publish(
        TopicArn=topic,
        Subject="Parley is down",
        Message="Nobody can ask.",
        MessageAttributes={"kind": {"DataType": "String", "StringValue": "down"}},
    )
    pump = Pump(aws.sqs, url, mailbox(tmp_path, lambda _: None))
    while pump.pump_once(1):
        pass
    kept = [json.loads(file.read_text()) for file in tmp_path.iterdir()]
    assert {"subject": "Parley is down", "attributes": {"kind": "down"}}.items() <= kept[-1].items()
