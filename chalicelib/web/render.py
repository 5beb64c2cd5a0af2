"""From a template and its values to a `Page`. The one place that knows Jinja2.

Every value is escaped. Text that strangers wrote also goes through the sanitiser, as the filters
`visible` and `one_line`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chalicelib.domain.text import one_line, visible
from chalicelib.web.assets import asset_url
from chalicelib.web.page import HEADERS, Page
from chalicelib.web.times import stamp

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES: Final = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["one_line"] = one_line
    environment.filters["stamp"] = stamp
    return environment


def render(template: str, *, base_path: str, **values: Any) -> str:
    """The HTML of a template; a value that the template needs and does not get raises."""
    base = base_path.rstrip("/")
    urls = {name: asset_url(base, name) for name in ("app.css", "app.js")}
    return _environment().get_template(template).render(base=base, assets=urls, **values)


def render_page(
    template: str,
    *,
    base_path: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Page:
    """A whole page with the headers that all pages have, and `headers` on top."""
    html = render(template, base_path=base_path, **values)
    return Page(status, html, {**HEADERS, **(headers or {})})
