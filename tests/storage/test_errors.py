"""What botocore raises, in words that callers can act on."""

from __future__ import annotations

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from chalicelib.domain.errors import TryAgain
from chalicelib.storage.errors import BUSY, storage_errors


def refusal(code: str, status: int = 400) -> ClientError:
    """An answer of AWS's."""
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "GetItem")  # type: ignore[arg-type]


@pytest.mark.parametrize("code", sorted(BUSY))
def test_busy_storage_is_a_reason_to_try_again(code: str) -> None:
    with pytest.raises(TryAgain), storage_errors():
        raise refusal(code)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_any_failure_on_the_other_side_is_a_reason_to_try_again(status: int) -> None:
    with pytest.raises(TryAgain), storage_errors():
        raise refusal("Whatever", status)


@pytest.mark.parametrize(
    "error",
    [
        ReadTimeoutError(endpoint_url="http://x"),
        ConnectTimeoutError(endpoint_url="http://x"),
        EndpointConnectionError(endpoint_url="http://x"),
    ],
)
def test_unreachable_storage_is_a_reason_to_try_again(error: Exception) -> None:
    with pytest.raises(TryAgain), storage_errors():
        raise error


@pytest.mark.parametrize(
    "code",
    ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"],
)
def test_a_defect_of_ours_is_not_hidden(code: str) -> None:
    with pytest.raises(ClientError), storage_errors():
        raise refusal(code)
