"""API Gateway's own answers, evaluated from the template: which response a fault becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

DEFAULT_STATUS: Final[Mapping[str, int]] = {
    "ACCESS_DENIED": 403,
    "API_CONFIGURATION_ERROR": 500,
    "AUTHORIZER_CONFIGURATION_ERROR": 500,
    "AUTHORIZER_FAILURE": 500,
    "BAD_REQUEST_BODY": 400,
    "BAD_REQUEST_PARAMETERS": 400,
    "EXPIRED_TOKEN": 403,
    "INTEGRATION_FAILURE": 504,
    "INTEGRATION_TIMEOUT": 504,
    "INVALID_API_KEY": 403,
    "INVALID_SIGNATURE": 403,
    "MISSING_AUTHENTICATION_TOKEN": 403,
    "QUOTA_EXCEEDED": 429,
    "REQUEST_TOO_LARGE": 413,
    "RESOURCE_NOT_FOUND": 404,
    "THROTTLED": 429,
    "UNAUTHORIZED": 401,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "WAF_FILTERED": 403,
}
"""AWS: "Gateway response types for API Gateway" in its developer guide."""

TRANSIENT: Final = frozenset(
    kind for kind, status in DEFAULT_STATUS.items() if status >= 500 or status == 429
)
"""What passes by itself, or is for an operator to mend: never the asker's fault."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the caller sees."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Any:
        """The body; raises `ValueError` when it is not JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class GatewayResponses:
    """The responses that one API of the template defines."""

    defined: Mapping[str, Any]

    @classmethod
    def of(cls, template: Mapping[str, Any], api: str) -> GatewayResponses:
        """Those of an API by its logical id."""
        return cls(template["Resources"][api]["Properties"]["GatewayResponses"])

    def answer(self, kind: str, message: str = 'said "no"') -> Answer:
        """The answer to a fault: its own response, or the default of its class, or AWS's."""
        status = DEFAULT_STATUS[kind]
        default = self.defined.get(f"DEFAULT_{status // 100}XX", {})
        response = self.defined.get(kind, default)
        templates = response.get("ResponseTemplates", {})
        body = templates.get("application/json", '{"message":$context.error.messageString}')
        headers = response.get("ResponseParameters", {}).get("Headers", {})
        return Answer(
            int(response.get("StatusCode", status)),
            {name.lower(): value.strip("'") for name, value in headers.items()},
            body.replace("$context.error.messageString", json.dumps(message)),
        )
