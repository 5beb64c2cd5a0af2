"""What scopes allow."""

from __future__ import annotations

import pytest

from chalicelib.domain.principal import Principal, Scope


def holder(*scopes: Scope) -> Principal:
    """Who holds a key with these scopes."""
    return Principal(name="x", scopes=frozenset(scopes), key_id="k")


@pytest.mark.parametrize("scope", Scope)
def test_a_scope_allows_itself_and_admin_allows_all(scope: Scope) -> None:
    assert holder(scope).may(scope)
    assert holder(Scope.ADMIN).may(scope)
    others = set(Scope) - {scope, Scope.ADMIN}
    assert not any(holder(*others).may(wanted) for wanted in {scope} - {Scope.ADMIN})
    assert not holder().may(scope)


def test_a_host_sees_its_own_sessions_only() -> None:
    """2 of the weaknesses: and running agents is not answering for them."""
    assert not holder(Scope.HOST).sees_all_sessions()
    assert not holder(Scope.HOST).may(Scope.ANSWER)
    for scope in (Scope.READ, Scope.ANSWER, Scope.ADMIN):
        assert holder(scope).sees_all_sessions()
