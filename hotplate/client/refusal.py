"""What can go wrong when the API is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ProblemAt:
    """One thing that is wrong with a template, an environment or a value, as the server saw it."""

    message: str
    hint: str
    path: str
    file: str
    line: int | None
    column: int | None
    cause: str = ""


class Refusal(Exception):
    """The server said no. ``kind`` is its class of error, ``problems`` what is wrong where."""

    def __init__(
        self, status: int, message: str, kind: str = "", problems: tuple[ProblemAt, ...] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.problems = problems

    @property
    def is_missing(self) -> bool:
        """Whether what was asked for is not there."""
        return self.status == 404


class Unreachable(Exception):
    """The server does not answer, or not as one of its kind would."""


def refusal_of(status: int, document: Any, text: str) -> Refusal:
    """Return the refusal that an answer holds, whatever its body is."""
    error = document.get("error") if isinstance(document, Mapping) else None
    if not isinstance(error, Mapping):
        words = " ".join(text.split())[:200]
        return Refusal(status, f"the server answers {status}{f': {words}' if words else ''}")
    found = error.get("problems")
    problems = tuple(_problem(each) for each in found if isinstance(each, Mapping)) if found else ()
    message = str(error.get("message") or f"the server answers {status}")
    return Refusal(status, message, str(error.get("type") or ""), problems)


def _problem(document: Mapping[str, Any]) -> ProblemAt:
    return ProblemAt(
        message=str(document.get("message", "")),
        hint=str(document.get("hint", "")),
        path=str(document.get("path", "")),
        file=str(document.get("file", "")),
        line=document.get("line"),
        column=document.get("column"),
        cause=str(document.get("cause", "")),
    )
