"""Who is calling: an API key in `X-API-Key` or as a bearer token."""

from __future__ import annotations

from chalicelib.api.http import Request
from chalicelib.api.needs import Needs
from chalicelib.domain.errors import Forbidden
from chalicelib.domain.principal import Principal, Scope


def api_key_of(request: Request) -> str | None:
    """The key as sent, if any."""
    given = request.headers.get("x-api-key")
    if given:
        return given
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def require(request: Request, needs: Needs, *scopes: Scope) -> Principal:
    """The caller, who must hold one of `scopes`. Raises `Unauthenticated` and `Forbidden`."""
    principal = needs.authenticator.principal(api_key_of(request))
    if not any(principal.may(scope) for scope in scopes):
        wanted = " or ".join(scope.value for scope in scopes)
        raise Forbidden(f"This API key lacks the scope {wanted}.")
    return principal
