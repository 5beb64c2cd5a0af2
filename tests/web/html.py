"""A page's HTML as elements, so that tests speak of structure and not of text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})


@dataclass
class Element:
    """A start tag with its attributes (None for one without a value) and the text inside."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.attributes[name]
        return "" if value is None else value

    def has(self, name: str) -> bool:
        """Whether the attribute is there, with or without a value."""
        return name in self.attributes

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every element of that tag below this one whose attributes have these values."""
        wanted = attributes.items()
        found = []
        for one in self.inside:
            if one.tag == tag and all(one.attributes.get(name) == value for name, value in wanted):
                found.append(one)
            found += one.all(tag, **attributes)
        return found

    def one(self, tag: str, **attributes: str) -> Element:
        """The only element of that kind."""
        (only,) = self.all(tag, **attributes)
        return only

    def every(self) -> list[Element]:
        """All elements below this one, in order."""
        return [each for one in self.inside for each in (one, *one.every())]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        element = Element(tag, dict(attrs))
        self._open[-1].inside.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        last = self._open.pop()
        assert last.tag == tag, f"<{last.tag}> is closed by </{tag}>"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data


def parse(html: str) -> Element:
    """The document; fails on tags that do not nest and on attributes given twice."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader._open) == 1, [element.tag for element in reader._open]
    return reader.root
