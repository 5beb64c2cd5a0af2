"""`python -m chalicelib.keys`: make and revoke API keys, rotate the signing key.

Works on the deployment that the environment names (`PARLEY_TABLE`, `PARLEY_ENGINE_URL`, ...).
"""

from __future__ import annotations

import argparse
import secrets
import sys

from chalicelib.bootstrap import Services
from chalicelib.domain.errors import ParleyError
from chalicelib.domain.principal import Scope
from chalicelib.settings import MissingSetting
from chalicelib.usecases.authenticate import make_key


def issue(services: Services, *, name: str, scopes: frozenset[Scope]) -> str:
    """Make a key and return it; only its hash is kept."""
    return make_key(
        name=name,
        scopes=scopes,
        key_id=services.new_id()[:12],
        secret=random_secret(),
        now=services.clock(),
        keys=services.api_keys,
    )


def random_secret() -> str:
    """256 random bits, URL-safe (43 characters)."""
    return secrets.token_urlsafe(32)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 on success."""
    options = _parser().parse_args(arguments)
    services = Services()
    try:
        return _run(options, services)
    except (ParleyError, MissingSetting) as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace, services: Services) -> int:
    if options.command == "create":
        scopes = frozenset(Scope(scope) for scope in options.scopes.split(","))
        print(issue(services, name=options.name, scopes=scopes))
        print("This key is not shown again.", file=sys.stderr)
    elif options.command == "revoke":
        if not services.api_keys.revoke(options.key_id, services.clock()):
            print("parley: there is no such key", file=sys.stderr)
            return 1
        print("revoked; it stops working within 30 seconds")
    else:
        services.signing.rotate(random_secret())
        print("rotated; links signed with the key before this one stay valid")
    return 0


def _scopes(raw: str) -> str:
    known = {scope.value for scope in Scope}
    unknown = set(raw.split(",")) - known
    if unknown:
        message = f"unknown scope {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}"
        raise argparse.ArgumentTypeError(message)
    return raw


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chalicelib.keys", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    create = commands.add_parser("create", help="make an API key and print it once")
    create.add_argument("--name", required=True, help="whose key it is; recorded with every answer")
    create.add_argument(
        "--scopes", type=_scopes, required=True, help="comma list of host, answer, read, admin"
    )
    revoke = commands.add_parser("revoke", help="revoke an API key")
    revoke.add_argument("key_id", help="the 12 characters between the underscores of the key")
    commands.add_parser("rotate-signing", help="sign links and tokens with a new key from now on")
    return parser


if __name__ == "__main__":
    sys.exit(main())
