"""Bodies of the elicitation routes (zimmer 1.3, 2.1, 2.3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from chalicelib.api.http import parse_json
from chalicelib.api.problems import MalformedBody
from chalicelib.domain.elicitation import Action, Mode
from chalicelib.domain.form_schema import vet_schema
from chalicelib.domain.request_id import MAX_LENGTH
from chalicelib.domain.urls import check_elicitation_url
from chalicelib.usecases.create_elicitation import Question

MESSAGE_LIMIT = 16_000
CONTEXT_LIMIT = 16_000
TOOL_NAME_LIMIT = 200

_NotBlank = StringConstraints(min_length=1, pattern=r"\S")


class Meta(BaseModel):
    """`_meta` of a create: the protocol's keys; others pass and are not kept."""

    model_config = ConfigDict(extra="ignore", strict=True, str_strip_whitespace=False)

    request_id: Annotated[str, _NotBlank, Field(max_length=MAX_LENGTH)] = Field(
        alias="com.pulsemcp/request-id"
    )
    session_id: str | None = Field(None, alias="com.pulsemcp/session-id", max_length=200)
    tool_name: str | None = Field(None, alias="com.pulsemcp/tool-name", max_length=TOOL_NAME_LIMIT)
    context: str | None = Field(None, alias="com.pulsemcp/context", max_length=CONTEXT_LIMIT)
    expires_at: Any = Field(None, alias="com.pulsemcp/expires-at")


class Create(BaseModel):
    """A question. Unknown members pass: clients of the protocol cannot be asked to change."""

    model_config = ConfigDict(extra="ignore", strict=True)

    mode: Literal["form", "url"] = "form"
    message: Annotated[str, _NotBlank, Field(max_length=MESSAGE_LIMIT)]
    requested_schema: Any = Field(None, alias="requestedSchema")
    url: Any = None
    meta: Meta = Field(alias="_meta")

    def question(self, *, allow_loopback_http: bool) -> Question:
        """The vetted question. Raises `InvalidSchema`, `InvalidInput` (url) and `TooLarge`."""
        mode = Mode(self.mode)
        is_url = mode is Mode.URL
        url = (
            check_elicitation_url(self.url, allow_loopback_http=allow_loopback_http).url
            if is_url
            else None
        )
        return Question(
            request_id=self.meta.request_id,
            message=self.message,
            mode=mode,
            schema={} if is_url else vet_schema(self.requested_schema),
            url=url,
            tool_name=_blank_is_none(self.meta.tool_name),
            context=_blank_is_none(self.meta.context),
            expires_at=self.meta.expires_at,
        )


class Respond(BaseModel):
    """An answer. `content` may be an object or, as older callers send it, JSON text of one."""

    model_config = ConfigDict(extra="ignore", strict=False)

    action_type: Action
    content: dict[str, Any] | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _parse_text(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse_json(value.encode()) if value.strip() else None
        except MalformedBody:
            message = "must be an object, or the JSON text of one"
            raise ValueError(message) from None


class Withdraw(BaseModel):
    """Why a question is taken back."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, _NotBlank, Field(max_length=200)] = "withdrawn"


def named_session(meta: Meta) -> str | None:
    """The session that `_meta` names, blank counting as none."""
    return _blank_is_none(meta.session_id)


def _blank_is_none(value: str | None) -> str | None:
    return value if value and value.strip() else None
