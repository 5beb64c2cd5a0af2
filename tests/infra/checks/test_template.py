from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from infra.checks import template as checks

Template = dict[str, Any]


def test_the_template_has_no_problems(template: Template) -> None:
    assert checks.problems(template) == []


def _properties(made: Template, name: str) -> dict[str, Any]:
    found: dict[str, Any] = made["Resources"][name]["Properties"]
    return found


def _misspell(made: Template) -> None:
    made["Resources"]["Clenup"] = {"Properties": {}}


def _two_intrinsics(made: Template) -> None:
    _properties(made, "Poll")["Role"]["Fn::Sub"] = "x"


def _literal_name(made: Template) -> None:
    _properties(made, "Poll")["Environment"]["Variables"]["PARLEY_TABLE"] = "${Table}"


def _second_stage(made: Template) -> None:
    del made["Globals"]["Api"]["OpenApiVersion"]


def _other_runtime(made: Template) -> None:
    _properties(made, "Poll")["Runtime"] = "python3.6"


def _shared_role(made: Template) -> None:
    _properties(made, "Poll")["Role"] = _properties(made, "Cleanup")["Role"]


def _endless_logs(made: Template) -> None:
    del made["Resources"]["ApiHandlerLogGroup"]


def _unknown_variable(made: Template) -> None:
    made["Globals"]["Function"]["Environment"]["Variables"]["PARLEY_TABEL"] = "x"


def _no_stage(made: Template) -> None:
    del _properties(made, "Poll")["Environment"]["Variables"]["PARLEY_STAGE"]


def _slash_at_the_end(made: Template) -> None:
    _properties(made, "RestAPI")["DefinitionBody"]["paths"]["/x/"] = {"get": {}}


def _throttle_of_nothing(made: Template) -> None:
    _properties(made, "RestAPI")["MethodSettings"][1]["ResourcePath"] = "/~1api~1v2"


def _path_in_the_log(made: Template) -> None:
    _properties(made, "PollApi")["AccessLogSetting"]["Format"] += "$context.path"


def _execution_logs(made: Template) -> None:
    _properties(made, "PollApi")["MethodSettings"][0]["LoggingLevel"] = "INFO"


def _whole_batches(made: Template) -> None:
    event = _properties(made, "RunTimers")["Events"]["RunTimersSqsEventSource"]
    del event["Properties"]["FunctionResponseTypes"]


def _queue_by_name(made: Template) -> None:
    event = _properties(made, "RunTimers")["Events"]["RunTimersSqsEventSource"]
    event["Properties"]["Queue"] = {"Fn::Sub": "arn:aws:sqs:x:y:parley-timers"}


def _short_visibility(made: Template) -> None:
    _properties(made, "TimersQueue")["VisibilityTimeout"] = 30


def _no_dead_letters(made: Template) -> None:
    del _properties(made, "NoticesQueue")["RedrivePolicy"]


def _tick_without_net(made: Template) -> None:
    del _properties(made, "Probe")["Events"]["ProbeEvent"]["Properties"]["DeadLetterConfig"]


def _failure_without_net(made: Template) -> None:
    del _properties(made, "Cleanup")["EventInvokeConfig"]


def _deleted_with_the_stack(made: Template) -> None:
    made["Resources"]["SigningSecret"]["DeletionPolicy"] = "Delete"


def _unprotected(made: Template) -> None:
    made["Parameters"]["TableDeletionProtection"]["Default"] = "false"


def _clear_table(made: Template) -> None:
    del _properties(made, "Table")["SSESpecification"]


def _clear_queue(made: Template) -> None:
    del _properties(made, "TurnsDeadLetters")["SqsManagedSseEnabled"]


def _clear_topic(made: Template) -> None:
    del _properties(made, "IncidentsTopic")["KmsMasterKeyId"]


def _demanding(made: Template) -> None:
    for name in ("DomainName", "WebAclArn"):
        del made["Parameters"][name]["Default"]


TRAPS: list[tuple[Callable[[Template], None], str]] = [
    (_misspell, "Clenup: a fragment changes a resource that the app does not have"),
    (_two_intrinsics, "in one place"),
    (_literal_name, "'${Table}' is not resolved"),
    (_second_stage, "SAM would add a stage"),
    (_other_runtime, "Poll: python3.6 was packaged by"),
    (_shared_role, "has the role of"),
    (_endless_logs, "APIHandler: its log group is not in the template"),
    (_unknown_variable, "PARLEY_TABEL is not in chalicelib/settings.py"),
    (_no_stage, "Poll: PARLEY_STAGE is None"),
    (_slash_at_the_end, "/x/ is no path"),
    (_throttle_of_nothing, "/api/v2, which is no route"),
    (_path_in_the_log, "the access log has $context.path"),
    (_execution_logs, "does not switch execution logs off"),
    (_whole_batches, "would repeat its whole batch"),
    (_queue_by_name, "its queue is not a resource"),
    (_short_visibility, "before six time-outs are over"),
    (_no_dead_letters, "has no dead-letter queue"),
    (_tick_without_net, "Probe: a tick that cannot be delivered is lost"),
    (_failure_without_net, "Cleanup: a tick that fails is lost"),
    (_deleted_with_the_stack, "SigningSecret would be deleted"),
    (_unprotected, "Table is not protected"),
    (_clear_table, "Table is not encrypted"),
    (_clear_queue, "TurnsDeadLetters is not encrypted"),
    (_clear_topic, "IncidentsTopic is not encrypted"),
    (_demanding, "4 parameters have no default"),
]


@pytest.mark.parametrize(("spoil", "finding"), TRAPS, ids=[t[0].__name__[1:] for t in TRAPS])
def test_each_trap_is_found(
    template: Template, spoil: Callable[[Template], None], finding: str
) -> None:
    spoiled = copy.deepcopy(template)
    spoil(spoiled)

    assert any(finding in problem for problem in checks.problems(spoiled))


def test_every_check_has_found_something(template: Template) -> None:
    """A check that no trap sets off would not be missed."""
    found = {checks.resources_have_types.__name__}
    for spoil, _ in TRAPS[1:]:
        spoiled = copy.deepcopy(template)
        spoil(spoiled)
        found |= {check.__name__ for check in checks.CHECKS if [*check(spoiled)]}

    assert found == {check.__name__ for check in checks.CHECKS}
