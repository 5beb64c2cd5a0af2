"""Checks of the SAM template: the traps of Chalice's packaging, and the house's own rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from chalicelib.settings import STAGES, VARIABLES
from infra.build import runtime
from infra.template import Resolver, environment_of, functions, of_type, walk

Template = Mapping[str, Any]

ROUTE: Final = re.compile(r"/|(/([\w.-]+|\{\w+\}))+", re.ASCII)
"""Paths that API Gateway takes; `chalice package` lets a slash at the end or a colon through."""

ACCESS_LOG_FIELDS: Final = frozenset(
    {
        "requestId",
        "httpMethod",
        "resourcePath",
        "status",
        "responseLatency",
        "integrationLatency",
        "integrationStatus",
        "error.responseType",
        "identity.sourceIp",
        "identity.userAgent",
    }
)
"""Without `path`, which carries tokens."""

VISIBILITY_TO_TIMEOUT: Final = 6
"""AWS's advice for a queue that feeds a function."""

_OWN_VARIABLES: Final = frozenset({*VARIABLES.values(), "POWERTOOLS_SERVICE_NAME"})


def resources_have_types(template: Template) -> Iterator[str]:
    """A misspelt name in a fragment becomes a resource of its own."""
    for name, resource in template["Resources"].items():
        if "Type" not in resource:
            yield f"{name}: a fragment changes a resource that the app does not have"


def intrinsics_stand_alone(template: Template) -> Iterator[str]:
    """Overriding `Fn::Sub` by `Fn::GetAtt` leaves both keys in one place."""
    for place, node in walk(template):
        if isinstance(node, Mapping):
            found = [key for key in node if key == "Ref" or key.startswith("Fn::")]
            if found and len(node) > 1:
                yield f"{'.'.join(place)}: {sorted(node)} in one place"


def names_are_resolved(template: Template) -> Iterator[str]:
    """`${Name}` outside `Fn::Sub` goes out as text."""
    for place, node in walk(template):
        if isinstance(node, str) and "${" in node and "Fn::Sub" not in place:
            yield f"{'.'.join(place)}: {node!r} is not resolved"


def apis_have_one_stage(template: Template) -> Iterator[str]:
    """SAM adds a stage called `Stage` unless told which OpenAPI it is."""
    if template.get("Globals", {}).get("Api", {}).get("OpenApiVersion") != "2.0":
        yield "Globals.Api.OpenApiVersion is not 2.0: SAM would add a stage of its own"


def functions_run_here(template: Template) -> Iterator[str]:
    """The runtime is the packaging interpreter's, each function has its own role and kept logs."""
    roles: dict[str, str] = {}
    logs = json.dumps(of_type(template, "AWS::Logs::LogGroup"))
    for name, function in functions(template).items():
        properties = function["Properties"]
        if properties["Runtime"] != runtime():
            yield f"{name}: {properties['Runtime']} was packaged by {runtime()}"
        role = json.dumps(properties["Role"])
        if role in roles:
            yield f"{name} has the role of {roles[role]}"
        roles[role] = name
        if f"/aws/lambda/${{{name}}}" not in logs:
            yield f"{name}: its log group is not in the template, so its logs live for ever"
    for name, group in of_type(template, "AWS::Logs::LogGroup").items():
        if not group.get("RetentionInDays"):
            yield f"{name}: logs without an end"


def variables_are_known(template: Template) -> Iterator[str]:
    """The service reads no variable that the template does not know, and the other way round."""
    for name in functions(template):
        environment = environment_of(template, name)
        for variable in environment.keys() - _OWN_VARIABLES:
            yield f"{name}: {variable} is not in chalicelib/settings.py"
        if environment.get("PARLEY_STAGE") not in STAGES:
            yield f"{name}: PARLEY_STAGE is {environment.get('PARLEY_STAGE')!r}"


def routes_fit_the_gateway(template: Template) -> Iterator[str]:
    """Every route is one API Gateway takes, and every throttle names a route that is there."""
    for name, api in of_type(template, "AWS::Serverless::Api").items():
        paths = api["DefinitionBody"]["paths"]
        for path in paths:
            if not ROUTE.fullmatch(path):
                yield f"{name}: {path} is no path for API Gateway"
        for setting in api["MethodSettings"]:
            path = setting["ResourcePath"].removeprefix("/").replace("~1", "/")
            methods = {method.upper() for method in paths.get(path, {})}
            if path != "*" and setting["HttpMethod"] not in methods:
                yield f"{name}: a throttle for {setting['HttpMethod']} {path}, which is no route"


def logs_carry_no_tokens(template: Template) -> Iterator[str]:
    """Access logs have the route, not the path; execution logs, which have paths, stay off."""
    for name, api in of_type(template, "AWS::Serverless::Api").items():
        for found in re.findall(r"\$context\.([\w.]+)", api["AccessLogSetting"]["Format"]):
            if found not in ACCESS_LOG_FIELDS:
                yield f"{name}: the access log has $context.{found}"
        for setting in api["MethodSettings"]:
            if setting.get("LoggingLevel") != "OFF" or setting.get("DataTraceEnabled") is not False:
                yield f"{name}: {setting['ResourcePath']} does not switch execution logs off"


def events_are_not_lost(template: Template) -> Iterator[str]:
    """Queues report failures one by one and wait long enough; ticks have a net on both sides."""
    queues = of_type(template, "AWS::SQS::Queue")
    for name, function in functions(template).items():
        properties = function["Properties"]
        for event in properties.get("Events", {}).values():
            if event["Type"] == "SQS":
                yield from _queue_problems(name, properties, event["Properties"], queues)
            if event["Type"] == "Schedule":
                yield from _schedule_problems(name, properties, event["Properties"])


def _queue_problems(
    name: str, function: Template, event: Template, queues: Mapping[str, Any]
) -> Iterator[str]:
    if event.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
        yield f"{name}: one bad message would repeat its whole batch"
    source = re.fullmatch(r"\$\{(\w+)\.Arn\}", event["Queue"].get("Fn::Sub", ""))
    queue = queues.get(source[1]) if source else None
    if queue is None:
        yield f"{name}: its queue is not a resource of this template"
        return
    if queue["VisibilityTimeout"] < VISIBILITY_TO_TIMEOUT * function["Timeout"]:
        yield f"{name}: its queue shows a message again before six time-outs are over"
    if "RedrivePolicy" not in queue:
        yield f"{name}: its queue has no dead-letter queue"


def _schedule_problems(name: str, function: Template, event: Template) -> Iterator[str]:
    if "DeadLetterConfig" not in event or "RetryPolicy" not in event:
        yield f"{name}: a tick that cannot be delivered is lost"
    if "OnFailure" not in function.get("EventInvokeConfig", {}).get("DestinationConfig", {}):
        yield f"{name}: a tick that fails is lost"


def data_is_kept(template: Template) -> Iterator[str]:
    """What cannot be made again outlives the stack."""
    resolve = Resolver(template, {}).resolve
    for kind in ("AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::SecretsManager::Secret"):
        for name in of_type(template, kind):
            resource = template["Resources"][name]
            if {resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy")} != {"Retain"}:
                yield f"{name} would be deleted with the stack"
    for name, table in of_type(template, "AWS::DynamoDB::Table").items():
        if resolve(table.get("DeletionProtectionEnabled")) != "true":
            yield f"{name} is not protected by default"


def data_is_encrypted(template: Template) -> Iterator[str]:
    """Nothing lies in clear."""
    for name, table in of_type(template, "AWS::DynamoDB::Table").items():
        if not table.get("SSESpecification", {}).get("SSEEnabled"):
            yield f"{name} is not encrypted by a KMS key"
    for name, queue in of_type(template, "AWS::SQS::Queue").items():
        if not queue.get("SqsManagedSseEnabled"):
            yield f"{name} is not encrypted"
    for name, topic in of_type(template, "AWS::SNS::Topic").items():
        if "KmsMasterKeyId" not in topic:
            yield f"{name} is not encrypted"


def few_parameters_are_required(template: Template) -> Iterator[str]:
    """An operator says at most three things."""
    required = [name for name, p in template["Parameters"].items() if "Default" not in p]
    if len(required) > 3:
        yield f"{len(required)} parameters have no default: {required}"


CHECKS: Final[tuple[Callable[[Template], Iterator[str]], ...]] = (
    resources_have_types,
    intrinsics_stand_alone,
    names_are_resolved,
    apis_have_one_stage,
    functions_run_here,
    variables_are_known,
    routes_fit_the_gateway,
    logs_carry_no_tokens,
    events_are_not_lost,
    data_is_kept,
    data_is_encrypted,
    few_parameters_are_required,
)


def problems(template: Template) -> list[str]:
    """All findings. A resource without a type ends it: nothing else could be said with sense."""
    first = [*resources_have_types(template)]
    return first or [found for check in CHECKS for found in check(template)]
