"""What holds for every schema and every form post, not only for those we thought of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chalicelib.domain.errors import InvalidContent, InvalidSchema, ParleyError
from chalicelib.domain.form_schema import (
    Kind,
    coerce_form,
    derive_fields,
    validate_content,
    vet_schema,
)
from tests.domain.form_schema.strategies import json_values, posts, schemas

KEYWORDS = [
    *("type", "enum", "enumNames", "oneOf", "items", "default", "minLength", "maxLength"),
    *("minimum", "maximum", "minItems", "maxItems", "format", "title", "description", "pattern"),
]
USUAL = settings(deadline=None)
FEW = settings(deadline=None, max_examples=50)


def vetted_or_none(schema: object) -> dict[str, Any] | None:
    try:
        return vet_schema(schema)
    except InvalidSchema:
        return None


def refusal_of(call: Callable[[], object]) -> ParleyError | None:
    try:
        call()
    except ParleyError as refused:
        return refused
    return None


def typed(content: Mapping[str, Any]) -> dict[str, str]:
    """Content with its JSON types: 1, 1.0 and true are equal in Python, and are not here."""
    return {name: json.dumps(value) for name, value in content.items()}


@USUAL
@given(json_values)
def test_any_json_is_vetted_or_refused_with_paths(raw: object) -> None:
    refused = refusal_of(lambda: vet_schema(raw))
    assert refused is None or refused.fields


@USUAL
@given(
    st.dictionaries(st.sampled_from(["type", "properties", "required"]), json_values), json_values
)
def test_json_that_looks_like_a_schema_is_vetted_or_refused(root: object, leaf: object) -> None:
    for raw in (root, {"type": "object", "properties": {"x": leaf}}):
        schema = vetted_or_none(raw)
        if schema is not None:
            derive_fields(schema)


@USUAL
@given(
    st.dictionaries(
        st.sampled_from(KEYWORDS),
        json_values
        | st.sampled_from(["string", "number", "integer", "boolean", "array", "date"])
        | st.just({"type": "string", "enum": ["a"]}),
    )
)
def test_a_property_of_known_keywords_is_read_or_refused(leaf: dict[str, object]) -> None:
    schema = vetted_or_none({"type": "object", "properties": {"x": leaf}})
    if schema is not None:
        (field,) = derive_fields(schema)
        assert field.title
        validate_content(schema, {})


@USUAL
@given(st.data())
def test_what_the_page_can_post_is_accepted_or_explained(data: st.DataObject) -> None:
    schema = vetted_or_none(data.draw(schemas()))
    assume(schema is not None)
    assert schema is not None
    fields = derive_fields(schema)
    form = data.draw(posts(fields))
    content: dict[str, Any] = {}

    def submit() -> None:
        content.update(coerce_form(fields, form))
        validate_content(schema, content, apply_defaults=False)

    refused = refusal_of(submit)
    if refused is not None:
        paths = [problem.path for problem in refused.fields]
        assert len(set(paths)) == len(paths) > 0
        assert set(paths) <= {field.name for field in fields}
        return
    kept = validate_content(schema, content, apply_defaults=False)
    assert typed(kept) == typed(content)
    again = validate_content(schema, json.loads(json.dumps(kept)), apply_defaults=False)
    assert typed(again) == typed(kept)
    assert {field.name for field in fields if field.required} <= set(kept)


@FEW
@given(st.data())
def test_every_choice_offered_can_be_chosen_on_the_page(data: st.DataObject) -> None:
    schema = vetted_or_none(data.draw(schemas()))
    assume(schema is not None)
    assert schema is not None
    for field in derive_fields(schema):
        for option in field.options:
            posted = option.value.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
            chosen = coerce_form([field], {"f0": [posted]})[field.name]
            assert chosen == ([option.value] if field.kind is Kind.MULTISELECT else option.value)


@FEW
@given(schemas())
def test_vetting_is_idempotent_and_loses_nothing(raw: dict[str, Any]) -> None:
    schema = vetted_or_none(raw)
    assume(schema is not None)
    assert schema == raw
    assert vet_schema(schema) == schema


@FEW
@given(schemas())
def test_defaults_of_a_vetted_schema_are_answers(raw: dict[str, Any]) -> None:
    schema = vetted_or_none(raw)
    assume(schema is not None)
    assert schema is not None
    optional = {**schema, "required": []}
    defaults = validate_content(optional, {})
    with_default = {field.name for field in derive_fields(schema) if field.default is not None}
    assert set(defaults) == with_default
    assert validate_content(optional, {}, apply_defaults=False) == {}


@FEW
@given(schemas(), json_values)
def test_any_content_is_accepted_with_its_types_or_refused(raw: object, content: object) -> None:
    schema = vetted_or_none(raw)
    assume(schema is not None)
    assert schema is not None
    refused = refusal_of(lambda: validate_content(schema, content))
    assert refused is None or (isinstance(refused, InvalidContent) and refused.fields)
