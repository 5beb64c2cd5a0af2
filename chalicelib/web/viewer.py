"""Whoever is signed in, as far as a page needs to know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """`name` stands in the page's bar; `csrf` goes into every form that the viewer may post."""

    name: str
    csrf: str
