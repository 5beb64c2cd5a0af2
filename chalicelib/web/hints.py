"""What a field's limits are, said before the person types and not only after."""

from __future__ import annotations

from chalicelib.domain.form_schema.fields import Field, Kind

_FORMATS = {
    "email": "An e-mail address, such as name@example.org.",
    "uri": "A full address, such as https://example.org/page.",
    "date-time": "Date and time in UTC.",
}


def hint_for(field: Field) -> str:
    """One short sentence, or nothing when there is no limit to know of."""
    if field.kind is Kind.TEXT:
        pattern = f"Expected to match {field.pattern}" if field.pattern else ""
        told = [_FORMATS.get(field.format or "", ""), _length(field), pattern]
        return " ".join(part for part in told if part)
    if field.kind is Kind.MULTISELECT:
        span = _span(field.min_items or None, field.max_items)
        return f"Choose {span}." if span else ""
    if field.kind in {Kind.INTEGER, Kind.NUMBER}:
        noun = "A whole number" if field.kind is Kind.INTEGER else "A number"
        return f"{noun}{_bounds(field.minimum, field.maximum)}."
    return ""


def _length(field: Field) -> str:
    span = _span(field.min_length or None, field.max_length)
    return f"{span[:1].upper()}{span[1:]} characters." if span else ""


def _span(least: object, most: object) -> str:
    if least is not None and most is not None:
        return f"{least}" if least == most else f"{least} to {most}"
    if least is not None:
        return f"at least {least}"
    return f"at most {most}" if most is not None else ""


def _bounds(least: object, most: object) -> str:
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f", at least {least}"
    return f", at most {most}" if most is not None else ""
