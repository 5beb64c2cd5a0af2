from __future__ import annotations

from typing import Any

import pytest

from infra.build import ROOT
from infra.checks import alarms as checks

RUNBOOK = "## Part\n\n### Function errors\nLook.\n"


def _template(**change: Any) -> dict[str, Any]:
    alarm = {
        "AlarmActions": [{"Ref": "IncidentsTopic"}],
        "AlarmDescription": "A function crashed or ran out of time; its log has the exception. "
        "Runbook: function-errors.",
        "TreatMissingData": "notBreaching",
        "Namespace": "Parley",
        "MetricName": "ServerError",
    }
    properties = {name: value for name, value in (alarm | change).items() if value is not None}
    resource = {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}
    return {"Resources": {"FunctionErrors": resource}}


def test_every_alarm_has_its_runbook_entry_and_every_entry_its_alarm(
    template: dict[str, Any],
) -> None:
    runbook = (ROOT / "infra" / "RUNBOOK.md").read_text()

    assert checks.problems(template, runbook) == []


def test_a_good_alarm_has_no_problems() -> None:
    assert checks.problems(_template(), RUNBOOK) == []


@pytest.mark.parametrize(
    ("change", "runbook", "finding"),
    [
        ({"AlarmActions": None}, RUNBOOK, "pages nobody"),
        ({"AlarmDescription": "Bad. Runbook: function-errors."}, RUNBOOK, "does not say what to"),
        ({"AlarmDescription": "x" * 99}, RUNBOOK, "names no runbook entry"),
        ({}, "### Other\n", "the runbook has no entry function-errors"),
        ({}, RUNBOOK + "### Gone\n", "no alarm leads to gone"),
        ({"TreatMissingData": None}, RUNBOOK, "what missing data means"),
    ],
)
def test_each_breach_is_found(change: dict[str, Any], runbook: str, finding: str) -> None:
    found = checks.problems(_template(**change), runbook)

    assert any(finding in problem for problem in found)


def test_own_metrics_are_those_of_our_namespace() -> None:
    assert checks.own_metrics(_template()) == {"ServerError"}
    assert checks.own_metrics(_template(Namespace="AWS/SQS")) == set()
