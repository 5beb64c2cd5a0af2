"""All routes of the REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.api.elicitations import elicitation_routes
from chalicelib.api.needs import Needs
from chalicelib.api.session_reads import session_read_routes
from chalicelib.api.sessions import session_routes

if TYPE_CHECKING:
    from chalice.app import Chalice


def register_routes(app: Chalice, needs: Needs) -> None:
    """Register every blueprint, made anew for this app."""
    for make in (elicitation_routes, session_routes, session_read_routes):
        app.register_blueprint(make(needs))
