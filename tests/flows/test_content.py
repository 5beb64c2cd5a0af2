"""What a person answered reaches the asker exactly, or the person is told what is wrong."""

from __future__ import annotations

import json
from typing import Any

from tests.parley import Parley, path_of, question

OPEN_TYPES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "amount": {"type": "number"},
        "sure": {"type": "boolean"},
        "one": {"type": "string", "enum": ["a", "b"]},
        "some": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
    },
}


def answered(parley: Parley, schema: dict[str, Any], content: Any) -> Any:
    """What the asker reads after this content was accepted; also the raw text of it."""
    session = parley.open_session()
    request_id = parley.ask(session, requestedSchema=schema).json["requestId"]
    got = parley.respond(request_id, "accept", content)
    assert got.status == 200, got.text
    return parley.poll(session, request_id)


def refused(parley: Parley, schema: dict[str, Any], content: Any) -> list[str]:
    """The paths at fault; the question stays pending."""
    session = parley.open_session()
    request_id = parley.ask(session, requestedSchema=schema).json["requestId"]
    got = parley.respond(request_id, "accept", content)
    assert got.status == 422, got.text
    assert parley.poll(session, request_id).json["action"] == "pending"
    return [field["path"] for field in got.json["error"]["fields"]]


def test_every_json_type_comes_back_as_it_was(parley: Parley) -> None:
    """86 and design 6: 3 is 3, 0.1 is 0.1, false is false, and text is text."""
    content = {
        "text": "3",
        "count": 3,
        "amount": 0.1,
        "sure": False,
        "one": "b",
        "some": ["x", "y"],
    }
    got = answered(parley, OPEN_TYPES, content)
    assert got.json["content"] == content
    assert [type(value) for value in got.json["content"].values()] == [
        str, int, float, bool, str, list,
    ]  # fmt: skip


def test_numbers_survive_exactly(parley: Parley) -> None:
    """Weak spots of other stores: 2^53 + 1, many digits, exponents, minus zero."""
    session = parley.open_session()
    for spelled in ("9007199254740993", "-1", "123456789012345678901234567890", "0"):
        request_id = parley.ask(session, requestedSchema=OPEN_TYPES).json["requestId"]
        raw = f'{{"action_type": "accept", "content": {{"count": {spelled}}}}}'
        path = f"/api/v1/elicitations/{request_id}/respond"
        got = parley.http(
            "PATCH", path, raw=raw.encode(), headers={"content-type": "application/json"}
        )
        assert got.status == 200, got.text
        assert f'"count": {spelled}}}' in parley.poll(session, request_id).text
    for number in (0.1, 1e-7, 1.5e300, 2.0, -0.0):
        got = answered(parley, OPEN_TYPES, {"amount": number})
        assert repr(got.json["content"]["amount"]) == repr(number)


def test_text_survives_exactly(parley: Parley) -> None:
    for text in (
        "caf\u00e9 \U0001f469\u200d\U0001f4bb",
        "a\nb\tc",
        "</script>\u2028",
        " padded ",
        "\u202e",
    ):
        assert answered(parley, OPEN_TYPES, {"text": text}).json["content"] == {"text": text}


def test_types_are_never_guessed(parley: Parley) -> None:
    """19 of the weaknesses: "3" is not 3, 3.7 no integer, 1 not true; the field is named."""
    for content, path in (
        ({"count": "3"}, "count"),
        ({"count": 3.7}, "count"),
        ({"count": True}, "count"),
        ({"amount": "0.1"}, "amount"),
        ({"amount": True}, "amount"),
        ({"sure": 1}, "sure"),
        ({"sure": "true"}, "sure"),
        ({"text": 3}, "text"),
        ({"text": None}, "text"),
        ({"one": "c"}, "one"),
        ({"one": ["a"]}, "one"),
        ({"some": "x"}, "some"),
        ({"some": ["x", "z"]}, "some"),
        ({"text": {"nested": 1}}, "text"),
        ({"unknown": 1}, "unknown"),
    ):
        [found] = refused(parley, OPEN_TYPES, content)
        assert found.startswith(path), content


def test_absent_is_not_false(parley: Parley) -> None:
    """A required boolean has to be said."""
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    assert refused(parley, schema, {}) == ["ok"]
    assert refused(parley, schema, None) == ["ok"]


def test_a_lone_confirmation_may_be_refused_by_value(parley: Parley) -> None:
    """D13: `accept` with `confirm: false` is what the person said; it stays as it is."""
    session = parley.open_session()
    request_id = parley.ask(session).json["requestId"]
    assert parley.respond(request_id, "accept", {"confirm": False}).status == 200
    polled = parley.poll(session, request_id).json
    assert (polled["action"], polled["content"]) == ("accept", {"confirm": False})


def test_content_as_json_text_is_parsed(parley: Parley) -> None:
    """87: older callers send it so; text that is no JSON object is refused, not stored raw."""
    got = answered(parley, OPEN_TYPES, json.dumps({"count": 3}))
    assert got.json["content"] == {"count": 3}
    for text in (
        "yes",
        "[1]",
        "3",
        '"x"',
        "{",
        '{"count": 1e999}',
        '{"count": 1, "count": 2}',
        "[" * 9_999,
    ):
        assert refused(parley, OPEN_TYPES, text), text


def test_content_is_an_object_or_nothing(parley: Parley) -> None:
    odd: list[Any] = [[], [1], 3, True, 0.5]
    for content in odd:
        assert refused(parley, OPEN_TYPES, content) == ["content"], content


def test_an_accept_without_content_suits_a_schema_without_fields(parley: Parley) -> None:
    """87: blank content is none, whichever way it is spelled."""
    blank: list[Any] = [None, {}, "", "  "]
    for content in blank:
        got = answered(parley, {"type": "object", "properties": {}}, content)
        assert got.json["action"] == "accept"
        assert "content" not in got.json, content


def test_hostile_schemas_are_refused_before_anyone_is_told(parley: Parley) -> None:
    """D10 and 20 of the weaknesses: 422 with the path of every bad part."""
    session = parley.open_session()
    hostile: list[Any] = [
        [], "x", 3, True,
        {"type": "array"},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}},
        {"type": "object", "properties": {"a": {"type": "string", "enum": "b"}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": 3},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
        {"type": "object", "properties": {"a": {"$ref": "#/x"}}},
        {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(5_000)}},
    ]  # fmt: skip
    for schema in hostile:
        got = parley.ask(session, requestedSchema=schema)
        assert got.status in (413, 422), (schema, got.text)
        assert got.json["error"]["fields"], schema
        assert got.json["error"]["fields"][0]["path"].startswith("requestedSchema")
    assert parley.session(session["id"])["status"] == "running"
    assert parley.run_queue("notices") == []


def test_a_schema_may_be_absent(parley: Parley) -> None:
    """zimmer 2.1: a plain yes or no."""
    session = parley.open_session()
    path = session["env"]["ELICITATION_REQUEST_URL"].partition("/api")[2]
    body = question()
    del body["requestedSchema"]
    got = parley.http("POST", f"/api{path}", body, key=None)
    assert got.status == 201
    assert parley.respond(got.json["requestId"], "accept").status == 200


def test_limits_are_named(parley: Parley) -> None:
    """6 of the weaknesses: 413 says which part may have how much."""
    session = parley.open_session()
    for over, limit in (
        ({"message": "x" * 16_001}, "16000"),
        ({"meta": {"com.pulsemcp/context": "x" * 16_001}}, "16000"),
        ({"meta": {"com.pulsemcp/tool-name": "x" * 201}}, "200"),
        ({"message": "x" * 300_000}, "256"),
    ):
        got = parley.ask(session, **over)
        assert got.status == 413, over
        assert limit in got.json["error"]["message"]
    assert parley.ask(session, message="\U0001f600" * 16_000).status == 201, "code points count"


def test_the_largest_answer_to_the_largest_question_fits_a_row(parley: Parley) -> None:
    """DynamoDB: 400 KB a row. What is over the limit of an answer is 413 and leaves it pending."""
    session = parley.open_session()
    big = "\U0001f600" * 16_000
    properties = {
        "text": {"type": "string"},
        "pad": {"type": "string", "description": "x" * 60_000},
    }
    body = question(
        message=big,
        meta={"com.pulsemcp/context": big},
        requestedSchema={"type": "object", "properties": properties},
    )
    asked = parley.http(
        "POST",
        path_of(session["env"]["ELICITATION_REQUEST_URL"]),
        key=None,
        raw=json.dumps(body, ensure_ascii=False).encode(),
        headers={"content-type": "application/json"},
    )
    assert asked.status == 201, asked.text
    request_id = asked.json["requestId"]
    got = parley.respond(request_id, "accept", {"text": "x" * 200_000})
    assert (got.status, got.code) == (413, "too_large")
    assert "128" in got.json["error"]["message"]
    assert parley.poll(session, request_id).json["action"] == "pending"
    assert parley.respond(request_id, "accept", {"text": "x" * 130_000}).status == 200
    assert len(parley.poll(session, request_id).json["content"]["text"]) == 130_000
