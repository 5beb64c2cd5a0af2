from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.assemble import FragmentsDisagree, assemble, load


def test_fragments_that_add_to_one_resource_are_merged(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("Resources: {Api: {Properties: {Name: parley}}}")
    (tmp_path / "b.yaml").write_text("Resources: {Api: {Properties: {Stage: v1}}}")

    assert assemble(tmp_path) == {
        "Resources": {"Api": {"Properties": {"Name": "parley", "Stage": "v1"}}}
    }


def test_fragments_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("Resources: {Api: {Properties: {Name: parley}}}")
    (tmp_path / "b.yaml").write_text("Resources: {Api: {Properties: {Name: other}}}")

    with pytest.raises(FragmentsDisagree, match=r"Resources\.Api\.Properties\.Name"):
        assemble(tmp_path)


def test_short_intrinsics_become_long_ones_however_deep(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: !If [Has, !Sub '${X}.y', [!GetAtt Table.Arn, !Ref Z]]")

    assert load(path) == {
        "a": {
            "Fn::If": [
                "Has",
                {"Fn::Sub": "${X}.y"},
                [{"Fn::GetAtt": ["Table", "Arn"]}, {"Ref": "Z"}],
            ]
        }
    }


def test_what_is_merged_into_one_place_does_not_reach_another(tmp_path: Path) -> None:
    """YAML aliases share one object in memory."""
    (tmp_path / "a.yaml").write_text("A: &both {x: 1}\nB: *both")
    (tmp_path / "b.yaml").write_text("A: {y: 2}")

    assert assemble(tmp_path) == {"A": {"x": 1, "y": 2}, "B": {"x": 1}}


def test_the_fragments_are_plain_json() -> None:
    """A bare date in YAML would not be."""
    merged = assemble(Path(__file__).parents[2] / "infra" / "fragments")

    assert json.loads(json.dumps(merged)) == merged
