"""How a field's name reads to a person: its words, and a title where the asker gave none."""

from __future__ import annotations

import re
from typing import Final

_CAMEL: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN: Final = re.compile(r"[\s_\-./:,;?!()\[\]{}\"'’]+")


def words(name: str) -> list[str]:
    """The words of `dryRun`, `dry_run`, `dry-run` or `Dry run?`, as they are written."""
    return [word for word in _BETWEEN.split(_CAMEL.sub(" ", name)) if word]


def humanised(name: str) -> str:
    """`targetEnv` and `target_env` as "Target env"; acronyms stay, unless all is in capitals."""
    spoken = words(name.lower() if name.isupper() else name)
    if not spoken:
        return name
    rest = [word if len(word) > 1 and word.isupper() else word.lower() for word in spoken[1:]]
    return " ".join([spoken[0][:1].upper() + spoken[0][1:], *rest])
