"""KMS as the only cipher: values of up to 4,096 bytes, each bound to a context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.storage.errors import storage_errors

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient


@dataclass(frozen=True, slots=True)
class KmsCipher:
    """Encrypts and decrypts under one key. The context stands in CloudTrail; the value does not."""

    client: KMSClient
    key_id: str

    def encrypt(self, value: str, context: Mapping[str, str]) -> bytes:
        """Ciphertext that only the same context opens."""
        with storage_errors():
            answer = self.client.encrypt(
                KeyId=self.key_id, Plaintext=value.encode(), EncryptionContext=context
            )
        return answer["CiphertextBlob"]

    def decrypt(self, sealed: bytes, context: Mapping[str, str]) -> str:
        """The value; anything but its own context is an error of KMS's."""
        with storage_errors():
            answer = self.client.decrypt(
                KeyId=self.key_id, CiphertextBlob=sealed, EncryptionContext=context
            )
        return answer["Plaintext"].decode()
