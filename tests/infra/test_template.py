from __future__ import annotations

from typing import Any

import pytest

from infra.template import Resolver, Unresolved, environment_of, with_code

TEMPLATE: dict[str, Any] = {
    "Parameters": {
        "Domain": {"Default": ""},
        "Url": {},
        "Models": {"Type": "CommaDelimitedList", "Default": "x,y"},
    },
    "Conditions": {"HasDomain": {"Fn::Not": [{"Fn::Equals": [{"Ref": "Domain"}, ""]}]}},
    "Globals": {"Function": {"Environment": {"Variables": {"A": "global", "B": "global"}}}},
    "Resources": {
        "Fn": {
            "Type": "AWS::Serverless::Function",
            "Properties": {"Environment": {"Variables": {"B": "own"}}, "CodeUri": "./x.zip"},
        }
    },
}


def test_a_functions_own_variables_win() -> None:
    assert environment_of(TEMPLATE, "Fn") == {"A": "global", "B": "own"}


def test_code_is_set_on_a_copy() -> None:
    made = with_code(TEMPLATE, "s3://bucket/key")

    assert made["Resources"]["Fn"]["Properties"]["CodeUri"] == "s3://bucket/key"
    assert TEMPLATE["Resources"]["Fn"]["Properties"]["CodeUri"] == "./x.zip"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"Ref": "Table"}, "rows"),
        ({"Fn::GetAtt": ["Table", "Arn"]}, "arn:rows"),
        ({"Fn::Sub": "${AWS::Region}/${Table.Arn}/${!Literal}"}, "us-east-1/arn:rows/${!Literal}"),
        ({"Fn::If": ["HasDomain", "yes", {"Ref": "Table"}]}, "rows"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Table"}]]}, "a-rows"),
        ({"Ref": "Models"}, ["x", "y"]),
        ([{"Ref": "AWS::NoValue"}, 1], [1]),
        ({"a": {"Ref": "AWS::NoValue"}, "b": 2}, {"b": 2}),
    ],
)
def test_intrinsics_resolve(node: Any, expected: Any) -> None:
    resolver = Resolver(TEMPLATE, {"Table": "rows", "Table.Arn": "arn:rows"})

    assert resolver.resolve(node) == expected


def test_parameters_win_over_their_defaults() -> None:
    resolver = Resolver(TEMPLATE, {}, {"Domain": "ask.example"})

    assert resolver.resolve({"Fn::If": ["HasDomain", {"Ref": "Domain"}, "no"]}) == "ask.example"


@pytest.mark.parametrize("node", [{"Ref": "Url"}, {"Ref": "Typo"}, {"Fn::Split": [",", "a"]}])
def test_what_is_not_known_is_an_error(node: Any) -> None:
    with pytest.raises(Unresolved):
        Resolver(TEMPLATE, {}).resolve(node)
