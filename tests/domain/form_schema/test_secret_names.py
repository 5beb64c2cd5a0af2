"""Forms must not ask for secrets (MCP 2025-11-25), and do not stumble over words that hold one."""

from __future__ import annotations

import pytest

from chalicelib.domain.form_schema import Field, Kind
from chalicelib.domain.form_schema.secret_names import asks_for_secret


def field(name: str, *, title: str = "A field", kind: Kind = Kind.TEXT) -> Field:
    return Field(name=name, kind=kind, title=title)


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "password2",
        "new_password",
        "dbPassword",
        "passwordConfirm",
        "PASSWD",
        "user.passphrase",
        "client_secret",
        "secret",
        "token",
        "github-token",
        "accessToken",
        "apiKey",
        "APIKey",
        "API_KEY",
        "apikey",
        "api key",
        "private_key",
        "aws_secret_access_key",
        "credentials",
        "credit_card",
        "creditCardNumber",
        "cvv",
        "iban",
        "pin",
        "ｐａｓｓｗｏｒｄ",
    ],
)
def test_a_text_named_like_a_secret_asks_for_one(name: str) -> None:
    assert asks_for_secret(field(name))


@pytest.mark.parametrize(
    "name",
    [
        "secretary",
        "tokens_per_day",
        "max_tokens",
        "tokenizer",
        "token_count",
        "token_limit",
        "secret_name",
        "api_key_id",
        "password_policy",
        "passport",
        "compass_word",
        "key",
        "keyboard",
        "opinion",
        "pinned",
        "card",
        "postcard_number_plate",
        "email",
    ],
)
def test_a_name_that_only_holds_such_a_word_does_not(name: str) -> None:
    assert not asks_for_secret(field(name))


@pytest.mark.parametrize(
    ("title", "asks"),
    [
        ("Your GitHub password", True),
        ("Personal access token", True),
        ("What is your API key?", True),
        ("Why rotate the token?", False),
        ("Reason for revoking the token", False),
        ("Secret name", False),
        ("Tell the team what you did after the password was changed", False),
    ],
)
def test_a_title_that_reads_like_a_label_counts_too(title: str, *, asks: bool) -> None:
    assert asks_for_secret(field("x", title=title)) is asks


@pytest.mark.parametrize("kind", [Kind.BOOLEAN, Kind.SELECT, Kind.MULTISELECT])
def test_a_choice_cannot_carry_a_secret(kind: Kind) -> None:
    assert not asks_for_secret(field("reset_password", kind=kind))


@pytest.mark.parametrize(("name", "asks"), [("token", False), ("cvv", True), ("card_number", True)])
def test_of_the_secrets_only_payment_data_and_pins_are_numbers(name: str, *, asks: bool) -> None:
    assert asks_for_secret(field(name, kind=Kind.INTEGER)) is asks
