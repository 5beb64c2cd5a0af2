"""What an agent is told about the gate in its system prompt: a redaction is never ambiguous.

One of two texts (seed, "Where the request goes"): broken while an incident is open, healthy
otherwise. The text is fixed at spawn; a running session does not learn of later changes.
"""

from __future__ import annotations

from typing import Final

from chalicelib.domain.gate import GateState
from chalicelib.domain.text import one_line

_HEADING: Final = "## Questions to people (the approval gate)"

_HEALTHY: Final = f"""{_HEADING}

Some of your tools ask a person before they read or do something sensitive. The question goes to \
the user's queue, the tool waits, and the answer comes back through the tool.

- A redacted or empty value from such a tool is the gate's answer: the person refused, or nobody \
answered in time. It is not a defect to work around.
- Do not look for the value, or for the effect, by another route: another tool, a file, a \
different account, a direct call.
- Report what was asked and that it was not granted. Go on only with what does not need it."""

_BROKEN: Final = f"""{_HEADING}

The approval gate is broken right now. Tools that ask a person before they read or do something \
sensitive cannot reach anybody from this host.

- Endpoint: {{url}}
- State: unreachable from this host{{since}}
- Last check: {{checked}}: {{detail}}

What this means for you:

- Such a tool will fail, or return a redacted or empty value, whatever a person or a policy would \
have said. Nobody was asked.
- Read that as a fault and not as a refusal. It says nothing about whether you may have the value.
- It does not allow you to get the value, or the effect, by another route either: no other tool, \
file, account or direct call.
- Tell the user that the approval gate is unreachable, name the endpoint and the error above, and \
stop there."""


def system_prompt_block(*, has_mcp_servers: bool, gate: GateState) -> str | None:
    """The block for a new session's system prompt (Markdown, no final newline).

    None for a session without MCP servers: nothing there can be gated. `gate.url` and `gate.detail`
    hold no tokens and are put on one line each, since what a server says must not become a
    paragraph of a system prompt.
    """
    if not has_mcp_servers:
        return None
    if not gate.is_broken:
        return _HEALTHY
    since = f" since {gate.since:%Y-%m-%d %H:%M UTC}" if gate.since else ""
    checked = f"{gate.checked_at:%Y-%m-%d %H:%M:%S UTC}" if gate.checked_at else "time unknown"
    return _BROKEN.format(
        url=one_line(gate.url, 200) or "unknown",
        since=since,
        checked=checked,
        detail=one_line(gate.detail, 300) or "no detail",
    )
