"""Reading and filling a SAM or CloudFormation template: code location, intrinsics, environment."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

FUNCTION: Final = "AWS::Serverless::Function"
NOTHING: Final = object()
"""What `AWS::NoValue` resolves to; the property that it stands at is left out."""

_IN_SUB: Final = re.compile(r"\$\{([^!}][^}]*)\}")

PSEUDO: Final[Mapping[str, str]] = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "us-east-1",
    "AWS::StackName": "parley",
    "AWS::URLSuffix": "amazonaws.com",
}


class Unresolved(KeyError):
    """An intrinsic names something that is not known."""


def with_code(template: Mapping[str, Any], uri: str) -> dict[str, Any]:
    """A copy whose functions all take their code from `uri`."""
    made = copy.deepcopy(dict(template))
    for function in functions(made).values():
        function["Properties"]["CodeUri"] = uri
    return made


def functions(template: Mapping[str, Any]) -> dict[str, Any]:
    """Logical id to resource of every function."""
    return {
        name: resource
        for name, resource in template["Resources"].items()
        if resource.get("Type") == FUNCTION
    }


def of_type(template: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Logical id to properties of every resource of a type."""
    return {
        name: resource.get("Properties", {})
        for name, resource in template["Resources"].items()
        if resource.get("Type") == kind
    }


def walk(node: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every node with where it stands, parents first."""
    yield place, node
    children: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(node, Mapping):
        children = iter(node.items())
    elif isinstance(node, list):
        children = iter(enumerate(node))
    for key, child in children:
        yield from walk(child, (*place, str(key)))


def environment_of(template: Mapping[str, Any], function: str) -> dict[str, Any]:
    """The function's variables, unresolved; its own win over the global ones."""
    shared = template.get("Globals", {}).get("Function", {})
    own = template["Resources"][function]["Properties"]
    found: dict[str, Any] = {}
    for source in (shared, own):
        found |= source.get("Environment", {}).get("Variables", {})
    return found


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves intrinsics against given values.

    `values` maps what `Ref` names (`Table`) and what `GetAtt` names (`Table.Arn`) to text;
    parameters and conditions come from the template. Raises `Unresolved` for anything else.
    """

    template: Mapping[str, Any]
    values: Mapping[str, str]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, node: Any) -> Any:
        """The node with every intrinsic replaced."""
        if isinstance(node, list):
            items = [self.resolve(item) for item in node]
            return [item for item in items if item is not NOTHING]
        if not isinstance(node, Mapping):
            return node
        if len(node) == 1:
            (name, argument), *_ = node.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._intrinsic(name, argument)
        made = {key: self.resolve(value) for key, value in node.items()}
        return {key: value for key, value in made.items() if value is not NOTHING}

    def _intrinsic(self, name: str, argument: Any) -> Any:
        if name == "Ref":
            return self.look_up(argument)
        if name == "Fn::GetAtt":
            return self.look_up(argument if isinstance(argument, str) else ".".join(argument))
        if name == "Fn::Sub" and isinstance(argument, str):
            return _IN_SUB.sub(lambda found: str(self.look_up(found[1])), argument)
        if name == "Fn::Join":
            between, parts = argument
            return between.join(str(part) for part in self.resolve(parts))
        if name == "Fn::If":
            condition, yes, no = argument
            return self.resolve(yes if self.holds(condition) else no)
        raise Unresolved(name)

    def look_up(self, name: str) -> Any:
        """What `Ref`, `GetAtt` or `Sub` says about a name."""
        if name == "AWS::NoValue":
            return NOTHING
        for known in (self.values, PSEUDO):
            if name in known:
                return known[name]
        parameter = self.template.get("Parameters", {}).get(name, {})
        given = self.parameters.get(name, parameter.get("Default"))
        if given is None:
            raise Unresolved(name)
        return given.split(",") if parameter.get("Type") == "CommaDelimitedList" else str(given)

    def holds(self, condition: str) -> bool:
        """Whether a condition of the template holds."""
        return self._test(self.template["Conditions"][condition])

    def _test(self, node: Mapping[str, Any]) -> bool:
        ((name, argument),) = node.items()
        if name == "Condition":
            return self.holds(argument)
        if name == "Fn::Not":
            return not self._test(argument[0])
        if name == "Fn::And":
            return all(self._test(item) for item in argument)
        if name == "Fn::Equals":
            left, right = (self.resolve(item) for item in argument)
            return bool(left == right)
        raise Unresolved(name)
