"""A browser's own `EventSource` follows a session over finite answers, as on API Gateway."""

from __future__ import annotations

from typing import Any

from chalicelib.api.signed_in import signed_in_cookie
from chalicelib.domain import events
from chalicelib.domain.principal import Scope
from infra.local.resources import Clients
from tests.browser.conftest import Stage, Visit
from tests.flows.url_host import UrlHost, url_host
from tests.parley import Parley

FOLLOW = """([path, types]) => {
  window.seen = []; window.hellos = 0;
  const source = new EventSource(path);
  source.addEventListener('connected', () => { window.hellos += 1; });
  for (const type of types) {
    source.addEventListener(type, event => window.seen.push([event.lastEventId, type]));
  }
}"""


def test_it_survives_reconnects_without_loss_or_doubles(
    parley: Parley, aws: Clients, stage: Stage, visit: Visit
) -> None:
    """118, 123: signed in by cookie, since it cannot send headers."""
    key_id = aws.kms.create_key()["KeyMetadata"]["KeyId"]
    with url_host(parley, key_id) as host:
        stage.handler = host.parley.gateway
        session = host.session()
        page = visit()
        page.context.add_cookies([cookie(host, stage.url)])  # type: ignore[list-item]
        page.goto(f"{stage.url}/api/v1/sessions")  # a page of the same origin without a policy
        path = f"/api/v1/sessions/{session}/sse?after_sequence=0&wait=0"
        page.evaluate(FOLLOW, [path, sorted(events.KNOWN)])
        host.post(session, "report")
        host.work()
        page.wait_for_function("window.seen.some(([id, type]) => type == 'tool.call_requested')")
        host.acme.done = True
        host.consent(session, host.asked(session)[0]["id"])
        host.work()
        page.wait_for_function("window.seen.some(([id, type]) => type == 'session.idled')")
        seen: Any = page.evaluate("window.seen")
        assert page.evaluate("window.hellos") >= 3
        assert seen == [[event["id"], event["type"]] for event in host.events(session)]


def cookie(host: UrlHost, url: str) -> dict[str, str]:
    """The cookie of somebody who is signed in."""
    services = host.parley.services
    principal = services.authenticator.principal(host.parley.new_key("Ann", Scope.ANSWER))
    name, _, value = signed_in_cookie(principal, services).partition(";")[0].partition("=")
    return {"name": name, "value": value, "url": url}
