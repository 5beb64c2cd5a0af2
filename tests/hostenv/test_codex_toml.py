"""`config.toml`: the five keys and nothing else, byte for byte."""

from __future__ import annotations

import tomllib

import pytest

from chalicelib.domain.errors import InvalidInput
from chalicelib.hostenv.codex_toml import edit
from tests.hostenv.examples import CONFIG_TOML, URL, VALUES

REST = (
    f'ELICITATION_POLL_URL = "{URL}"\nELICITATION_PREFER_HTTP_FALLBACK = "true"\n'
    'ELICITATION_TTL_MS = "3600000"\nELICITATION_SESSION_ID = "sess-1"\n'
)
INLINE = ", ".join(f'{name} = "{value}"' for name, value in VALUES.items())
DOTTED = "".join(f'env.{name} = "{value}"\n' for name, value in VALUES.items())

EXPECTED = CONFIG_TOML
for old, new in [
    ('["HOME", "ELICITATION_REQUEST_URL", "OP_TOKEN"]', '["HOME", "OP_TOKEN"]'),
    ('"http://zimmer/api/v1/elicitations" # stale', f'"{URL}" # stale'),
    ("NAME = '\u540d\u524d'\n", f"NAME = '\u540d\u524d'\n{REST}"),
    ('{ "A" = "1", B = "2" }', f'{{ "A" = "1", B = "2", {INLINE} }}'),
    ('env_vars = ["ELICITATION_SESSION_ID"]\n', f"env = {{{INLINE}}}\n"),
    ('env.ONLY = "dotted"\n', f'env.ONLY = "dotted"\n{DOTTED}'),
]:
    assert EXPECTED.count(old) == 1
    EXPECTED = EXPECTED.replace(old, new)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_realistic_file_changes_in_the_five_keys_and_keeps_every_other_byte(
    newline: str,
) -> None:
    edited = edit(CONFIG_TOML.replace("\n", newline), VALUES)
    assert edited.text.splitlines() == EXPECTED.splitlines()
    assert edited.text == EXPECTED.replace("\n", newline)
    assert [place.name for place in edited.places] == [
        "onepassword",
        "inline",
        "bare",
        "with.dots",
    ]


@pytest.mark.parametrize("text", [EXPECTED, EXPECTED.replace("\n", "\r\n")], ids=["lf", "crlf"])
def test_twice_is_once(text: str) -> None:
    assert edit(text, VALUES).text == text


def test_new_values_replace_old_ones_in_place() -> None:
    newer = {**VALUES, "ELICITATION_SESSION_ID": "sess-2"}
    assert edit(EXPECTED, newer).text == EXPECTED.replace("sess-1", "sess-2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[mcp_servers.a]\ncommand = "x"', '[mcp_servers.a]\ncommand = "x"\nenv = {K = "v"}\n'),
        (
            '[mcp_servers]\na = { command = "x", env = { A = "1" } }\nb = {command="y"}\n',
            '[mcp_servers]\na = { command = "x", env = { A = "1", K = "v" } }\n'
            'b = {command="y", env = {K = "v"}}\n',
        ),
        (
            '[mcp_servers.a]\ncommand = "x"\nenv = {}\n',
            '[mcp_servers.a]\ncommand = "x"\nenv = {K = "v"}\n',
        ),
        (
            '[mcp_servers.a.env]\n# none yet\n\n[mcp_servers.a]\ncommand = "x"\n',
            '[mcp_servers.a.env]\n# none yet\nK = "v"\n\n[mcp_servers.a]\ncommand = "x"\n',
        ),
        (
            '[mcp_servers.a]\ncommand = "x"\n[z]\nq = 1\n[mcp_servers.b]\ncommand = "y"\n'
            '[mcp_servers.a.env]\nA = "1"',
            '[mcp_servers.a]\ncommand = "x"\n[z]\nq = 1\n[mcp_servers.b]\ncommand = "y"\n'
            'env = {K = "v"}\n[mcp_servers.a.env]\nA = "1"\nK = "v"\n',
        ),
        (
            '[mcp_servers.a]\ncommand = "x"\nenv_vars = [\n  "A", # first\n  "K", # ours\n]\n',
            '[mcp_servers.a]\ncommand = "x"\nenv_vars = [\n  "A", # first\n]\nenv = {K = "v"}\n',
        ),
        (
            '[mcp_servers.a]\ncommand = "x"\nenv_vars = "K"\nenv = { K = "o" }\n',
            '[mcp_servers.a]\ncommand = "x"\nenv_vars = "K"\nenv = { K = "v" }\n',
        ),
        (
            '[mcp_servers.a]\ncommand = "x"\n\n# list\n[[mcp_servers.a.list]]\nq = 1\n',
            '[mcp_servers.a]\ncommand = "x"\nenv = {K = "v"}\n\n# list\n'
            "[[mcp_servers.a.list]]\nq = 1\n",
        ),
        (
            '[mcp_servers.a]\r\ncommand = "x"\r\n[mcp_servers.a.env]\r\n# none',
            '[mcp_servers.a]\r\ncommand = "x"\r\n[mcp_servers.a.env]\r\n# none\r\nK = "v"\r\n',
        ),
        (
            '[mcp_servers.a]\r\ncommand = "x"\r\nenv.A = "1"\r\nenv.B = "2"\r\n',
            '[mcp_servers.a]\r\ncommand = "x"\r\nenv.A = "1"\r\nenv.K = "v"\r\nenv.B = "2"\r\n',
        ),
        (
            'mcp_servers.a.command = "x"\nmcp_servers.a.env.A = "1"\n',
            'mcp_servers.a.command = "x"\nmcp_servers.a.env.A = "1"\nmcp_servers.a.env.K = "v"\n',
        ),
    ],
)
def test_every_layout_of_a_table_is_understood(text: str, expected: str) -> None:
    edited = edit(text, {"K": "v"}).text
    assert edited == expected
    assert edit(edited, {"K": "v"}).text == edited


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.a]\nurl = "https://x"\n',
        '[mcp_servers.a]\ncommand = " "\n',
        '[mcp_servers.a]\ncommand = "x"\nenv = "odd"\n',
        'model = "x"',
        "",
    ],
)
def test_only_stdio_servers_with_a_usable_env_are_touched(text: str) -> None:
    assert edit(text, VALUES).text == text


@pytest.mark.parametrize("text", ["[a\n", "a = \n", 'a = "\n', "a = 1\na = 2\n", "mcp_servers = 1"])
def test_what_is_not_such_a_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        edit(text, VALUES)


def test_header_tables_and_other_names_stay() -> None:
    after = tomllib.loads(edit(CONFIG_TOML, VALUES).text)
    assert after["mcp_servers"]["remote"] == tomllib.loads(CONFIG_TOML)["mcp_servers"]["remote"]
    assert after["mcp_servers"]["onepassword"]["env"]["OP_TOKEN"] == "x"
