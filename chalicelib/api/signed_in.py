"""The signed-in visitor: an API key became a cookie, and every post proves that it came from us.

The cookie is signed, HttpOnly and SameSite=Lax, and names the key, so that revoking the key ends
the visit. A post is taken only with the token that stands in our own forms (bound to the cookie)
and, where the browser says where it came from, from our own origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from chalicelib.domain.errors import Forbidden, Unauthenticated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalicelib.api.http import Request
    from chalicelib.api.needs import Needs
    from chalicelib.domain.principal import Principal
    from chalicelib.web.viewer import Viewer

VISIT_LASTS: Final = timedelta(hours=12)
FORM_LASTS: Final = timedelta(hours=1)
"""How long a sign-in form may stay open before it is sent."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is signed in; `nonce` ties forms to this visit."""

    principal: Principal
    nonce: str

    def csrf(self, needs: Needs) -> str:
        """The token of this visit's forms."""
        return needs.tokens.sign("csrf", [self.principal.key_id, self.nonce])

    def viewer(self, needs: Needs) -> Viewer:
        """As pages know them."""
        from chalicelib.web.viewer import Viewer

        return Viewer(name=self.principal.name, csrf=self.csrf(needs))


def cookie_name(needs: Needs) -> str:
    """`__Host-` (RFC 6265bis: this host only, over TLS only) wherever the browser can honour it."""
    url = urlsplit(needs.settings.base_url)
    return "__Host-parley" if url.scheme == "https" else "parley"


def signed_in_cookie(principal: Principal, needs: Needs) -> str:
    """The `Set-Cookie` of a new visit."""
    until = int((needs.clock() + VISIT_LASTS).timestamp())
    value = needs.tokens.sign("visit", [principal.key_id, needs.new_id(), until])
    return _cookie(value, int(VISIT_LASTS.total_seconds()), needs)


def signed_out_cookie(needs: Needs) -> str:
    """The `Set-Cookie` that ends a visit."""
    return _cookie("", 0, needs)


def visitor(request: Request, needs: Needs) -> Visitor | None:
    """Whoever is signed in, if anybody is and their key still stands."""
    value = request.cookie(cookie_name(needs))
    if not value:
        return None
    match needs.tokens.read("visit", value):
        case [str(key_id), str(nonce), int(until)]:
            if needs.clock() >= datetime.fromtimestamp(until, UTC):
                return None
        case _:
            return None
    try:
        return Visitor(needs.authenticator.holder(key_id), nonce)
    except Unauthenticated:
        return None


def sign_in_csrf(needs: Needs) -> str:
    """The token of a sign-in form: nobody is signed in yet, so it is only ours and young."""
    until = int((needs.clock() + FORM_LASTS).timestamp())
    return needs.tokens.sign("sign-in", until)


def check_sign_in(request: Request, form: Mapping[str, Sequence[str]], needs: Needs) -> bool:
    """Whether a sign-in post came from our own form, recently."""
    until = needs.tokens.read("sign-in", form.get("csrf", [""])[-1])
    fresh = isinstance(until, int) and needs.clock().timestamp() < until
    return fresh and _from_our_origin(request, needs)


def check_post(
    request: Request, form: Mapping[str, Sequence[str]], who: Visitor, needs: Needs
) -> None:
    """Raises `Forbidden` for a post that does not come from this visit's own forms."""
    told = needs.tokens.read("csrf", form.get("csrf", [""])[-1])
    if told != [who.principal.key_id, who.nonce] or not _from_our_origin(request, needs):
        raise Forbidden("The form was not sent from this page. Reload it and try again.")


def _from_our_origin(request: Request, needs: Needs) -> bool:
    """`Sec-Fetch-Site` where the browser sends it, else `Origin`; absent both, the token
    decides."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    ours = urlsplit(needs.settings.base_url)
    return origin in (None, f"{ours.scheme}://{ours.netloc}")


def _cookie(value: str, seconds: int, needs: Needs) -> str:
    secure = "; Secure" if cookie_name(needs).startswith("__Host-") else ""
    name = cookie_name(needs)
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
