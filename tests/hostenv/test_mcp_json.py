"""`.mcp.json`: the five keys and nothing else, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.mcp_json import edit
from tests.hostenv.examples import MCP_JSON, URL, VALUES

STDIO = ["onepassword", "inline", "bare", "empty env"]

EXPECTED = MCP_JSON
for old, new in [
    ('"http://zimmer/api/v1/elicitations"', f'"{URL}"'),
    (
        '"PATH_LIKE": "a\\/b"\n',
        '"PATH_LIKE": "a\\/b",\n'
        f'        "ELICITATION_POLL_URL": "{URL}",\n'
        '        "ELICITATION_PREFER_HTTP_FALLBACK": "true",\n'
        '        "ELICITATION_TTL_MS": "3600000",\n'
        '        "ELICITATION_SESSION_ID": "sess-1"\n',
    ),
    (
        '"env": { "A": "1" }',
        f'"env": {{ "A": "1", "ELICITATION_REQUEST_URL": "{URL}", "ELICITATION_POLL_URL": "{URL}",'
        ' "ELICITATION_PREFER_HTTP_FALLBACK": "true", "ELICITATION_TTL_MS": "3600000",'
        ' "ELICITATION_SESSION_ID": "sess-1" }',
    ),
    (
        '        "server.js"\n      ]\n',
        '        "server.js"\n      ],\n      "env": {\n'
        f'        "ELICITATION_REQUEST_URL": "{URL}",\n'
        f'        "ELICITATION_POLL_URL": "{URL}",\n'
        '        "ELICITATION_PREFER_HTTP_FALLBACK": "true",\n'
        '        "ELICITATION_TTL_MS": "3600000",\n'
        '        "ELICITATION_SESSION_ID": "sess-1"\n      }\n',
    ),
    (
        '"env": {}',
        '"env": {\n'
        f'        "ELICITATION_REQUEST_URL": "{URL}",\n'
        f'        "ELICITATION_POLL_URL": "{URL}",\n'
        '        "ELICITATION_PREFER_HTTP_FALLBACK": "true",\n'
        '        "ELICITATION_TTL_MS": "3600000",\n'
        '        "ELICITATION_SESSION_ID": "sess-1"\n      }',
    ),
]:
    assert EXPECTED.count(old) == 1
    EXPECTED = EXPECTED.replace(old, new)


def injected(document: Any) -> Any:
    """The same decision on plain values."""
    for entry in document.get("mcpServers", {}).values():
        if not isinstance(entry, dict) or not str(entry.get("command") or "").strip():
            continue
        if isinstance(entry.setdefault("env", {}), dict):
            entry["env"].update(VALUES)
    return document


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_realistic_file_changes_in_the_five_keys_and_keeps_every_other_byte(
    newline: str,
) -> None:
    edited = edit(MCP_JSON.replace("\n", newline), VALUES)
    assert edited.text == EXPECTED.replace("\n", newline)
    assert [place.name for place in edited.places] == STDIO
    assert edited.notes == ("server odd env: env is not an object; left alone",)


def test_twice_is_once() -> None:
    assert edit(EXPECTED, VALUES).text == EXPECTED


def test_new_values_replace_old_ones_in_place() -> None:
    newer = {**VALUES, "ELICITATION_SESSION_ID": "sess-2"}
    assert edit(EXPECTED, newer).text == EXPECTED.replace("sess-1", "sess-2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"mcpServers":{"a":{"command":"x"}}}', '{"command":"x","env":{"K":"v"}}'),
        ('{"mcpServers": {"a": {"command": "x"}}}', '{"command": "x", "env": {"K": "v"}}'),
        ('{"mcpServers": {"a": { "command": "x" }}}', '{ "command": "x", "env": { "K": "v" } }'),
        ('{"mcpServers":{"a":{"command":"x","env":{"K":"v"}}}}', '"env":{"K":"v"}}'),
        ('{"mcpServers":{"a":{"command":"x","env":{ }}}}', '"env":{"K":"v"}}'),
        ('{"mcpServers":{"a":{"command":"x","env":{"B":"1"}}}}', '"env":{"B":"1","K":"v"}'),
        ('{"mcpServers":{"a":{"command":"x","env":{"K":"\\u0076"}}}}', '{"K":"\\u0076"}'),
        ('{"mcpServers":{"a":{"command":"x","env":{"\\u004b":"o"}}}}', '{"\\u004b":"v"}'),
        ('{"mcpServers":{"a":{"command":"x","env":{"K":"o","K":1}}}}', '{"K":"v","K":"v"}'),
        ('{"mcpServers":{"a":{"command":"x","env":{"B":"}{\\"K"}}}}', '{"B":"}{\\"K","K":"v"}'),
        (
            '{"mcpServers":{"a":{"url":"u"},"a":{"command":"x"}}}',
            '{"a":{"url":"u"},"a":{"command":"x","env":{"K":"v"}}}',
        ),
        (
            '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}',
            '"x",\n\t\t\t"env": {\n\t\t\t\t"K": "v"\n\t\t\t}\n\t\t}\n\t}\n}',
        ),
    ],
)
def test_what_is_added_takes_on_the_style_around_it(text: str, expected: str) -> None:
    edited = edit(text, {"K": "v"}).text
    assert expected in edited
    assert json.loads(edited)["mcpServers"]["a"]["env"]["K"] == "v"
    assert edit(edited, {"K": "v"}).text == edited


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers":{"a":{"url":"https://x"}}}',
        '{"mcpServers":{"a":{"type":"http","command":null,"url":"https://x","env":{}}}}',
        '{"mcpServers":{"a":"command","b":["command"]}}',
        '{"mcpServers":{}}',
        '{"servers":{"a":{"command":"x"}}}',
        " {} ",
    ],
)
def test_only_stdio_servers_are_touched(text: str) -> None:
    assert edit(text, VALUES).text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ('{"mcpServers": {', "is not JSON"),
        ('{"mcpServers": {},}', "is not JSON"),
        ('{"a": NaN}', "NaN"),
        ("// hello\n{}", "is not JSON"),
        ("[]", "not a JSON object"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_such_a_file_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        edit(text, VALUES)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "command": st.sampled_from(["x", "", None]),
        "env": st.dictionaries(st.sampled_from(["A", *VALUES]), st.text(), max_size=3) | st.none(),
        "url": st.text(),
        'q"\\{}': JSON_VALUES,
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {"mcpServers": st.dictionaries(st.text(), ENTRIES, max_size=3)}, optional={"rest": JSON_VALUES}
)


@given(DOCUMENTS, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_any_layout_reads_back_as_the_plain_decision(
    document: dict[str, Any], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    edited = edit(text, VALUES).text
    assert json.loads(edited) == injected(document)
    assert edit(edited, VALUES).text == edited
