"""The one kind of failure that the runner reports as a sentence instead of a traceback."""

from __future__ import annotations


class CannotRun(Exception):
    """The runner cannot start or go on; the message is one sentence that says what to do."""
