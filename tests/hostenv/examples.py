"""Realistic files of agent runtimes, and the five values that go into them."""

from __future__ import annotations

from chalicelib.hostenv.variables import NAMES

URL = "https://parley.example/api/v1/elicitations/session/s3cret.tok-en_1"
VALUES = dict(zip(NAMES, [URL, URL, "true", "3600000", "sess-1"], strict=True))

MCP_JSON = """{
  "$schema": "https://example.org/mcp.schema.json",
  "mcpServers": {
    "onepassword": {
      "command": "npx",
      "args": ["-y", "onepassword-mcp-server@0.3.1"],
      "env": {
        "OP_SERVICE_ACCOUNT_TOKEN": "${OP_TOKEN}",
        "ELICITATION_REQUEST_URL": "http://zimmer/api/v1/elicitations",
        "GREETING": "Gr\\u00fc\\u00dfe, \u540d\u524d \U0001f510",
        "PATH_LIKE": "a\\/b"
      },
      "timeout": 1e3
    },
    "remote": {
      "type": "http",
      "url": "https://mcp.example/mcp",
      "headers": { "Authorization": "Bearer ${TOKEN}" }
    },
    "inline": { "command": "uvx", "args": [], "env": { "A": "1" } },
    "bare": {
      "command": "node",
      "args": [
        "server.js"
      ]
    },
    "empty env": {
      "command": "node",
      "env": {}
    },
    "odd env": {
      "command": "node",
      "env": null
    },
    "blank command": { "command": "  " }
  },
  "other": [1, 2.50, {"command": "not a server"}]
}
"""

CONFIG_TOML = """# Codex of the release robot
model = "gpt-5"   # keep
approval_policy = 'never'

[history]
persistence = "none"

[[profiles.steps]]
name = "erster Schritt \u2013 pr\u00fcfen"

[[profiles.steps]]
name = "second"

# --- servers ---
[mcp_servers.onepassword]
command = "npx"
args = [
  "-y", # yes
  "onepassword-mcp-server@0.3.1",
]
env_vars = ["HOME", "ELICITATION_REQUEST_URL", "OP_TOKEN"]
startup_timeout_sec = 20

[mcp_servers.onepassword.env]
OP_TOKEN = "x" # secret
ELICITATION_REQUEST_URL = "http://zimmer/api/v1/elicitations" # stale
NAME = '\u540d\u524d'

# about the inline one
[mcp_servers.inline]
command = "uvx"
env = { "A" = "1", B = "2" }

[mcp_servers.bare]
command = "node"
args = ["server.js"]
env_vars = ["ELICITATION_SESSION_ID"]

# tools of the bare one
[mcp_servers.bare.tools.search]
enabled = true

[mcp_servers.remote]
url = "https://mcp.example/mcp"
http_headers = { "X-Team" = "blue" }

[mcp_servers."with.dots"]
command = "node"
env.ONLY = "dotted"

[tui]
theme = "dark"
"""
