"""Checks of the alarms: each pages the operator, says what to do, and stands in the runbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from infra.template import of_type, walk

NAMED: Final = re.compile(r"Runbook: ([a-z0-9-]+)\.$")
SHORTEST: Final = 60
"""Characters of a description that says what is wrong and what to do."""


def anchors(runbook: str) -> set[str]:
    """The anchors of the runbook's third-level headings, as code hosts make them."""
    headings = re.findall(r"^### (.+)$", runbook, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems(template: Mapping[str, Any], runbook: str) -> list[str]:
    """All findings, in both directions between template and runbook."""
    named = dict(_named(template))
    known = anchors(runbook)
    found = [*_pages(template)]
    found += [
        f"{name}: its description names no runbook entry" for name in named if not named[name]
    ]
    found += [
        f"{name}: the runbook has no entry {anchor}"
        for name, anchor in named.items()
        if anchor and anchor not in known
    ]
    found += [f"runbook: no alarm leads to {anchor}" for anchor in known - {*named.values()}]
    return sorted(found)


def own_metrics(template: Mapping[str, Any]) -> set[str]:
    """The metrics of our namespace that alarms watch."""
    watched: set[str] = set()
    for alarm in of_type(template, "AWS::CloudWatch::Alarm").values():
        for _, node in walk(alarm):
            ours = isinstance(node, Mapping) and node.get("Namespace") == "Parley"
            if ours and isinstance(node["MetricName"], str):
                watched.add(node["MetricName"])
    return watched


def _named(template: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, alarm in of_type(template, "AWS::CloudWatch::Alarm").items():
        match = NAMED.search(alarm.get("AlarmDescription", ""))
        yield name, match[1] if match else ""


def _pages(template: Mapping[str, Any]) -> Iterator[str]:
    for name, alarm in of_type(template, "AWS::CloudWatch::Alarm").items():
        if alarm.get("AlarmActions") != [{"Ref": "IncidentsTopic"}]:
            yield f"{name} pages nobody"
        if len(alarm.get("AlarmDescription", "")) < SHORTEST:
            yield f"{name} does not say what to do"
        if "TreatMissingData" not in alarm:
            yield f"{name} does not say what missing data means"
