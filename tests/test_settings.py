"""Every knob, good and bad: a bad one is named in the log, never quoted, and changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.settings import VARIABLES, MissingSetting, Settings, read_settings

WHOLE = {
    "expiration_minutes": (60, 1, 7 * 24 * 60),
    "retention_days": (30, 1, 3_650),
    "session_token_days": (30, 1, 366),
    "tool_result_timeout_seconds": (300, 1, 86_400),
    "probe_bad_threshold": (1, 1, 100),
    "probe_good_threshold": (2, 1, 100),
}
"""Field: default, smallest, largest."""

FLAGS = ("open_protocol", "asker_may_answer", "allow_private_upstreams")
NOT_WHOLE = (
    "abc",
    "1.5",
    "-1",
    "0",
    "1e3",
    "0x10",
    "1_000",
    "٣",
    "１２",
    "²",
    "9" * 13,
    "1 2",
    "²0",
)
NOT_A_FLAG = ("maybe", "2", "-", "tru", "ja", "ｔｒｕｅ")
NOT_A_SHARE = ("1.0", "-0.1", "1.5", "half", "nan", "inf", "0,5")


@pytest.fixture(autouse=True)
def _its_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Heard at its source: a service that ran before may have its loggers end at its own log."""
    log = logging.getLogger("parley.settings")
    log.addHandler(caplog.handler)
    propagates, log.propagate = log.propagate, False
    yield
    log.removeHandler(caplog.handler)
    log.propagate = propagates


def read(field: str, raw: str) -> object:
    return getattr(read_settings({VARIABLES[field]: raw}), field)


def default(field: str) -> object:
    return getattr(Settings(), field)


def test_every_field_has_its_variable_and_back() -> None:
    assert {field.name for field in fields(Settings)} == VARIABLES.keys()
    assert len(set(VARIABLES.values())) == len(VARIABLES)


def test_without_an_environment_everything_is_at_its_default() -> None:
    assert read_settings({}) == Settings()


@pytest.mark.parametrize("field", VARIABLES)
@pytest.mark.parametrize("blank", ["", "  ", "\t\n"])
def test_a_blank_value_counts_as_absent_and_is_no_mistake(
    field: str, blank: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert read(field, blank) == default(field)
    assert not caplog.records


@pytest.mark.parametrize("field", WHOLE)
def test_a_whole_number_is_taken_up_to_its_bounds(field: str) -> None:
    usual, low, high = WHOLE[field]
    assert default(field) == usual
    assert [read(field, raw) for raw in (str(low), str(high), f" +{high} ")] == [low, high, high]


@pytest.mark.parametrize("field", WHOLE)
def test_a_number_over_its_maximum_is_clamped_and_logged(
    field: str, caplog: pytest.LogCaptureFixture
) -> None:
    high = WHOLE[field][2]
    assert read(field, str(high + 1)) == high
    assert VARIABLES[field] in caplog.text


@pytest.mark.parametrize("field", WHOLE)
@pytest.mark.parametrize("raw", NOT_WHOLE)
def test_what_is_no_whole_number_is_ignored(
    field: str, raw: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert read(field, raw) == default(field)
    assert_named_and_not_quoted(field, raw, caplog)


@pytest.mark.parametrize("field", FLAGS)
def test_flags_are_read_in_their_usual_spellings(field: str) -> None:
    assert all(read(field, raw) is True for raw in ("true", "1", "YES", "on", " t ", "y"))
    assert all(read(field, raw) is False for raw in ("false", "0", "No", "off", "f", "n"))


@pytest.mark.parametrize("field", FLAGS)
@pytest.mark.parametrize("raw", NOT_A_FLAG)
def test_what_is_no_flag_is_ignored(field: str, raw: str, caplog: pytest.LogCaptureFixture) -> None:
    assert read(field, raw) is default(field) is False
    assert_named_and_not_quoted(field, raw, caplog)


@pytest.mark.parametrize(("raw", "share"), [("0", 0.0), ("0.25", 0.25), (".9", 0.9)])
def test_the_reminder_comes_at_a_share_of_the_window(raw: str, share: float) -> None:
    assert read("reminder_share", raw) == share


@pytest.mark.parametrize("raw", NOT_A_SHARE)
def test_what_is_no_share_is_ignored(raw: str, caplog: pytest.LogCaptureFixture) -> None:
    assert read("reminder_share", raw) == default("reminder_share")
    assert_named_and_not_quoted("reminder_share", raw, caplog)


def test_an_unknown_stage_is_taken_for_the_strictest(caplog: pytest.LogCaptureFixture) -> None:
    settings = read_settings({"PARLEY_STAGE": "prod"})
    assert (settings.stage, settings.is_local) == ("production", False)
    assert "PARLEY_STAGE" in caplog.text


@pytest.mark.parametrize(
    ("stage", "is_local"), [("development", True), ("staging", False), ("production", False)]
)
def test_only_development_is_local(stage: str, is_local: bool) -> None:
    assert read_settings({"PARLEY_STAGE": stage}).is_local is is_local


def test_polls_go_to_the_base_url_unless_they_have_their_own() -> None:
    shared = read_settings({"PARLEY_BASE_URL": "https://parley.example/"})
    own = {
        "PARLEY_BASE_URL": "https://a.example",
        "PARLEY_POLL_BASE_URL": "https://b.example/poll/",
    }
    assert shared.base_url == shared.poll_base_url == "https://parley.example"
    assert read_settings(own).poll_base_url == "https://b.example/poll"


def test_origins_are_a_comma_list() -> None:
    listed = read("allowed_origins", " https://a.example/ ,,https://b.example, ")
    assert listed == ("https://a.example", "https://b.example")


def test_a_missing_name_is_an_error_that_names_the_variable() -> None:
    assert read_settings({"PARLEY_TABLE": "parley"}).require("table") == "parley"
    with pytest.raises(MissingSetting, match="PARLEY_KMS_KEY_ID is not set"):
        read_settings({}).require("kms_key_id")


@given(st.dictionaries(st.sampled_from(sorted(VARIABLES.values())), st.text()))
def test_no_environment_stops_the_service(environ: dict[str, str]) -> None:
    settings = read_settings(environ)
    for field, (_, low, high) in WHOLE.items():
        assert low <= getattr(settings, field) <= high
    assert 0 <= settings.reminder_share < 1


def assert_named_and_not_quoted(field: str, raw: str, caplog: pytest.LogCaptureFixture) -> None:
    """One warning that names the variable; the value, which may be a secret put in the wrong
    place, is in none of it."""
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    named, *rest = record.args or ()
    assert named == VARIABLES[field]
    assert raw not in rest
