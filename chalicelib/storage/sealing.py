"""Upstream request state at rest: KMS ciphertext, bound to session, call and place.

KMS encrypts at most 4 KiB in one call, so a longer state becomes several parts. Each part's
encryption context names its number and how many there are: parts cannot be swapped, dropped or
moved to another call. No cipher of ours, no data key in memory.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from chalicelib.domain.errors import TooLarge
from chalicelib.storage.errors import code_of, storage_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.storage.kms import KmsCipher

log = logging.getLogger("parley.storage")

PART: Final = 4096
"""AWS's limit of one `Encrypt`, in bytes."""

MAX_STATE: Final = 8 * PART
"""Bytes of UTF-8. Every round costs as many KMS requests as parts, so this is bounded."""

_UNREADABLE: Final = frozenset(
    {"InvalidCiphertextException", "IncorrectKeyException", "DisabledException"}
    | {"KMSInvalidStateException", "NotFoundException", "AccessDeniedException"}
)


@dataclass(frozen=True, slots=True)
class KmsSealer:
    """`turn_ports.Sealer` on KMS; `cipher` is made when it is first needed."""

    cipher: Callable[[], KmsCipher]

    def seal(self, text: str, *, session_id: str, call_id: str) -> tuple[bytes, ...]:
        """The parts of the text, encrypted. Raises `TooLarge` and `TryAgain`."""
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) > MAX_STATE:
            raise TooLarge(f"The server's request state is over {MAX_STATE // 1024} KiB.")
        parts = [raw[start : start + PART] for start in range(0, len(raw), PART)]
        cipher = self.cipher()
        with storage_errors():
            return tuple(
                cipher.client.encrypt(
                    KeyId=cipher.key_id,
                    Plaintext=part,
                    EncryptionContext=_context(session_id, call_id, index, len(parts)),
                )["CiphertextBlob"]
                for index, part in enumerate(parts)
            )

    def open(self, sealed: Sequence[bytes], *, session_id: str, call_id: str) -> str | None:
        """The text, or None when the key or the row no longer allows it. Raises `TryAgain`."""
        cipher = self.cipher()
        try:
            with storage_errors():
                parts = [
                    cipher.client.decrypt(
                        KeyId=cipher.key_id,
                        CiphertextBlob=part,
                        EncryptionContext=_context(session_id, call_id, index, len(sealed)),
                    )["Plaintext"]
                    for index, part in enumerate(sealed)
                ]
            return b"".join(parts).decode("utf-8", "surrogatepass")
        except ClientError as error:
            if code_of(error) in _UNREADABLE:
                log.warning("request state cannot be opened: %s", code_of(error))
                return None
            raise


def _context(session_id: str, call_id: str, index: int, count: int) -> dict[str, str]:
    return {
        "purpose": "parley-request-state",
        "session": session_id,
        "call": call_id,
        "part": f"{index + 1}/{count}",
    }
