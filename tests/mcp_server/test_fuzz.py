"""Whatever arrives at the endpoint, it answers, and only a tool's own fault is a 5xx."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mcp_server.handler import handle
from tests.mcp_server.support import (
    BOTH_MODES,
    EVERYTHING,
    MODERN_VERSION,
    NOW,
    modern_headers,
    modern_meta,
    shake_hands,
)
from tests.mcp_server.tools.rig import Rig

STATUSES: Final = {200, 202, 400, 403, 404, 405, 413}
RIG: Final = Rig()
SESSION: Final = shake_hands(BOTH_MODES)

METHODS: Final = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "notifications/initialized",
    "resources/read",
    "",
]
TOOLS: Final = [tool.name for tool in RIG.tools]
HEADERS: Final = [
    "MCP-Protocol-Version",
    "mcp-protocol-version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Session-Id",
    "Origin",
    "Authorization",
    "Content-Type",
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, -(2**63), 10**400])
    | st.floats()
    | st.text(max_size=12)
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
versions = st.sampled_from([MODERN_VERSION, "2025-11-25", "2025-03-26", "2024-11-05", ""])
metas = st.just(modern_meta()) | st.builds(modern_meta, anything, versions | anything) | anything
arguments = st.dictionaries(
    st.sampled_from(
        ["session_id", "name", "request_id", "action", "content", "limit", "cursor", "message"]
    ),
    st.sampled_from(["s_ada", "s_host", "e_1", "accept", "X"]) | anything,
    max_size=5,
)
params = st.fixed_dictionaries(
    {},
    optional={
        "_meta": metas,
        "name": st.sampled_from(TOOLS) | anything,
        "arguments": arguments | anything,
        "requestState": st.text(max_size=40) | anything,
        "inputResponses": st.dictionaries(st.just("secret"), anything) | anything,
        "protocolVersion": versions | anything,
        "capabilities": anything,
        "cursor": anything,
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": st.integers(0, 9) | anything,
        "method": st.sampled_from(METHODS) | anything,
        "params": params | anything,
        "result": anything,
        "error": anything,
    },
)
header_values = (
    versions
    | st.sampled_from([*METHODS, *TOOLS, "null", "=?base64?ZQ==?=", SESSION["Mcp-Session-Id"]])
    | st.text(max_size=20)
)
headers = st.dictionaries(st.sampled_from(HEADERS), header_values, max_size=6)
http_methods = st.sampled_from(["POST", "POST", "POST", "GET", "DELETE", "post", "", "\x00"])


def send(method: str, sent: dict[str, str], body: bytes) -> None:
    answer = handle(method, sent, body, principal=EVERYTHING, server=RIG.server, now=NOW)
    assert answer.status in STATUSES
    if answer.status == 202:
        assert answer.body == ""
        return
    reply = json.loads(answer.body)
    assert reply["jsonrpc"] == "2.0"
    assert ("result" in reply) != ("error" in reply)
    assert answer.status == 200 or "error" in reply
    assert reply.get("error", {}).get("code") != -32603


@given(http_methods, headers, st.binary(max_size=200))
def test_any_bytes(method: str, sent: dict[str, str], body: bytes) -> None:
    send(method, sent, body)


@given(headers, messages | anything | st.lists(messages, max_size=3))
def test_any_json(sent: dict[str, str], message: Any) -> None:
    send("POST", sent, json.dumps(message).encode())


@given(st.sampled_from(METHODS[:5]), params, anything)
def test_any_params_behind_right_headers(method: str, sent: dict[str, Any], extra: Any) -> None:
    sent = {"_meta": modern_meta(), **sent, "extra": extra}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": sent}
    send("POST", modern_headers(method, sent), json.dumps(message).encode())
    send("POST", SESSION, json.dumps(message).encode())


@given(st.sampled_from(TOOLS), arguments)
def test_any_arguments_of_every_tool(tool: str, given_arguments: dict[str, Any]) -> None:
    sent = {"name": tool, "arguments": given_arguments, "_meta": modern_meta()}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sent}
    send("POST", modern_headers("tools/call", sent), json.dumps(message).encode())


@given(st.data())
def test_any_cut_and_any_flipped_byte_of_a_good_message(data: st.DataObject) -> None:
    sent = {"name": "get_session", "arguments": {"session_id": "s_ada"}, "_meta": modern_meta()}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sent}
    raw = bytearray(json.dumps(message).encode())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(0, 255))
    send("POST", modern_headers("tools/call", sent), bytes(raw))
    send("POST", modern_headers("tools/call", sent), bytes(raw[:place]))
