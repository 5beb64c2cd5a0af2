"""The signing keys: one Secrets Manager secret, either a plain random string or
`{"keys": ["oldest", ..., "newest"]}` after a rotation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.storage.errors import storage_errors

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

KEPT = 2
"""Keys kept after a rotation: the new one signs, the one before still verifies."""


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """Reads and rotates the signing keys."""

    client: SecretsManagerClient
    secret_id: str

    def keys(self) -> list[str]:
        """The keys, newest last."""
        with storage_errors():
            answer = self.client.get_secret_value(SecretId=self.secret_id)
        return parse_keys(answer["SecretString"])

    def rotate(self, new_key: str) -> None:
        """Add a key that signs from now on; links signed with the one before stay valid."""
        keys = [*self.keys(), new_key][-KEPT:]
        self.client.put_secret_value(
            SecretId=self.secret_id, SecretString=json.dumps({"keys": keys})
        )


def parse_keys(raw: str) -> list[str]:
    """The keys in a secret's text."""
    if raw.startswith("{"):
        return [str(key) for key in json.loads(raw)["keys"]]
    return [raw]
