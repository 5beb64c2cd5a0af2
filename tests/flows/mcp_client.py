"""An MCP client over the harness's HTTP, and a person who types secrets on the page meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import urlencode

from chalicelib.domain.principal import Scope
from tests.mcp_server.support import BOTH_MODES, modern_headers, modern_meta
from tests.parley import Answer, Parley, path_of

FORM = {"content-type": "application/x-www-form-urlencoded"}


@dataclass
class McpClient:
    """Speaks 2026-07-28 with one key, message by message."""

    parley: Parley
    key: str
    capabilities: Mapping[str, Any] = field(default_factory=lambda: BOTH_MODES)

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> Answer:
        """One request, with everything that the revision wants beside it."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {"_meta": modern_meta(self.capabilities), **(params or {})},
        }
        headers = {"authorization": f"Bearer {self.key}", **modern_headers(method, params or {})}
        return self.parley.http("POST", "/mcp", body, headers=headers, key=None)

    def call(self, name: str, arguments: Mapping[str, Any], **retry: Any) -> Answer:
        """`tools/call`; `retry` may carry `requestState` and `inputResponses`."""
        return self.send("tools/call", {"name": name, "arguments": arguments, **retry})

    def result(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of a call that the protocol takes."""
        answer = self.call(name, arguments)
        assert answer.status == 200, answer.text
        result: dict[str, Any] = answer.json["result"]
        return result

    def told(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured result of a call that succeeds."""
        result = self.result(name, **arguments)
        assert "isError" not in result, result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def failed(self, name: str, /, **arguments: Any) -> str:
        """The text of a call that the tool refuses."""
        result = self.result(name, **arguments)
        assert result["isError"] is True, result
        text: str = result["content"][0]["text"]
        return text


def connected(parley: Parley, name: str = "tester", *scopes: Scope) -> McpClient:
    """A client with a key of its own; without scopes, with the ones of an agent's host."""
    return McpClient(parley, parley.new_key(name, *(scopes or (Scope.HOST,))))


def secretive(parley: Parley, kms_key: str, **environ: str) -> Parley:
    """The same deployment with a key for secrets; waiting turns its clock instead of sleeping."""
    made = parley.configured(PARLEY_KMS_KEY_ID=kms_key, **environ)
    made.services.world = replace(made.services.world, pause=Waiting(made))
    return made


@dataclass
class Waiting:
    """Time goes by while a call is held; `meanwhile` happens once, as soon as one is."""

    parley: Parley
    meanwhile: Callable[[], object] | None = None

    def __call__(self, seconds: float) -> None:
        """In place of sleeping."""
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        self.parley.clock.turn(seconds=seconds)


def meanwhile(parley: Parley, act: Callable[[], object]) -> None:
    """Let `act` happen while the next call waits."""
    waiting = parley.services.world.pause
    assert isinstance(waiting, Waiting)
    waiting.meanwhile = act


class Http(Protocol):
    """A service that can be called: in process, or started."""

    def http(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = "default",
        raw: bytes | None = None,
    ) -> Answer:
        """See `Parley.http`."""


@dataclass
class Person:
    """Signed in with a key, in a browser of their own."""

    parley: Http
    key: str
    cookie: str = ""

    def sign_in(self) -> Person:
        """As the sign-in page does it."""
        form = self.parley.http("GET", "/sign-in", key=None)
        answer = self.post("/sign-in", key=self.key, csrf=csrf_of(form), next="/")
        assert answer.status == 303, answer.text
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return self

    def get(self, url: str, method: str = "GET") -> Answer:
        """Open a page."""
        return self.parley.http(method, path_of(url), headers=self._cookie(), key=None)

    def post(self, path: str, **fields: str) -> Answer:
        """Send a form."""
        raw = urlencode(fields).encode()
        return self.parley.http("POST", path, raw=raw, headers=FORM | self._cookie(), key=None)

    def type_secret(self, url: str, value: str = "s3cret-value", **fields: str) -> Answer:
        """Open the page and send the form that stands on it."""
        page = self.get(url)
        if page.status != 200:
            return page
        sent = {"action": "accept", "value": value, "csrf": csrf_of(page)} | fields
        return self.post(path_of(url), **sent)

    def _cookie(self) -> dict[str, str]:
        return {"cookie": self.cookie} if self.cookie else {}


def csrf_of(page: Answer) -> str:
    """The token in a page's form."""
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]
