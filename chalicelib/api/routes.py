"""All routes of the REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.api.answer_links import answer_link_routes
from chalicelib.api.consent import consent_routes
from chalicelib.api.elicitations import elicitation_routes
from chalicelib.api.gate import gate_routes
from chalicelib.api.inbox import inbox_routes
from chalicelib.api.mcp import mcp_routes
from chalicelib.api.mcp_servers import mcp_server_routes
from chalicelib.api.messages import message_routes
from chalicelib.api.needs import Needs
from chalicelib.api.operator_secrets import operator_secret_routes
from chalicelib.api.pages import static_routes
from chalicelib.api.secrets import secret_page_routes
from chalicelib.api.session_reads import session_read_routes
from chalicelib.api.sessions import session_routes
from chalicelib.api.sse import sse_routes
from chalicelib.api.visits import visit_routes

if TYPE_CHECKING:
    from chalice.app import Chalice


ROUTES = (
    elicitation_routes,
    session_routes,
    session_read_routes,
    gate_routes,
    operator_secret_routes,
    mcp_routes,
    answer_link_routes,
    inbox_routes,
    secret_page_routes,
    message_routes,
    consent_routes,
    mcp_server_routes,
    sse_routes,
    visit_routes,
    static_routes,
)


def register_routes(app: Chalice, needs: Needs) -> None:
    """Register every blueprint, made anew for this app."""
    for make in ROUTES:
        app.register_blueprint(make(needs))
