"""The form dialect of MCP, once: vet a schema, derive fields, read a form post, check an answer."""

from chalicelib.domain.form_schema.answers import validate_content
from chalicelib.domain.form_schema.fields import Field, Kind, Option, derive_fields
from chalicelib.domain.form_schema.forms import coerce_form, control_name
from chalicelib.domain.form_schema.grammar import vet_schema

__all__ = [
    "Field",
    "Kind",
    "Option",
    "coerce_form",
    "control_name",
    "derive_fields",
    "validate_content",
    "vet_schema",
]
