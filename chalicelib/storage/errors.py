"""What botocore raises, in the words of the domain: busy or unreachable becomes `TryAgain`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.domain.errors import TryAgain

log = logging.getLogger("parley.storage")

BUSY: Final = frozenset(
    {
        "InternalServerError",
        "ItemCollectionSizeLimitExceededException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "Throttling",
        "ThrottlingException",
        "TransactionInProgressException",
        "InternalFailure",
    }
)


def code_of(error: ClientError) -> str:
    """AWS's error code."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def storage_errors() -> Iterator[None]:
    """Busy, throttled and unreachable become `TryAgain`; everything else is a bug and passes."""
    try:
        yield
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code_of(error) in BUSY or status >= 500:
            log.warning("storage is busy: %s", code_of(error))
            raise TryAgain("Storage is busy; try again in a moment.") from error
        raise
    except BotoCoreError as error:
        log.warning("storage is unreachable: %s", type(error).__name__)
        raise TryAgain("Storage is unreachable; try again in a moment.") from error
