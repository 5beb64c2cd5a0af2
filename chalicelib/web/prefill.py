"""A field's default as the text that its control starts with."""

from __future__ import annotations

from datetime import UTC, datetime

from chalicelib.domain.form_schema.fields import Field, Kind


def prefilled(field: Field) -> list[str]:
    """The values a fresh control holds, spelled as the browser would post them; [] for none."""
    default = field.default
    if default is None:
        return []
    if isinstance(default, tuple):
        return list(default)
    if isinstance(default, bool):
        return ["true" if default else "false"]
    if field.kind is Kind.INTEGER and isinstance(default, float):
        return [str(int(default))]
    if field.format == "date-time":
        return _local_utc(str(default))
    return [str(default)]


def _local_utc(text: str) -> list[str]:
    """RFC 3339 to what a `datetime-local` input takes, in UTC as the page says."""
    try:
        at = datetime.fromisoformat(text.upper())
    except ValueError:
        return []
    utc = (at.astimezone(UTC) if at.tzinfo else at).replace(tzinfo=None)
    if utc.microsecond:
        return [utc.isoformat(timespec="milliseconds")]
    return [utc.isoformat(timespec="seconds" if utc.second else "minutes")]
