"""What is wrong with a document, where, and what would be right."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

Data: TypeAlias = dict[str, Any] | list[Any] | str | int | float | bool | None
"""What a document is made of: exactly the values JSON can carry."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices that lead from the top of a document to one of its values."""


class Severity(Enum):
    """Whether a problem refuses the document or only deserves a look."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def format_path(path: Path) -> str:
    """Return the path as people write it: ``resources.web.properties.networks.0``."""
    return ".".join(str(step) for step in path)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. ``hint`` says what to do about it, where that is known."""

    message: str
    path: Path = ()
    hint: str = ""
    position: Position | None = None
    severity: Severity = Severity.ERROR
    file: str = ""

    @property
    def sentence(self) -> str:
        """The message with its hint, without the place."""
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __str__(self) -> str:
        place = str(self.position) if self.position else self.file
        where = format_path(self.path)
        return ": ".join(part for part in (place, where, self.sentence) if part)


class InvalidDocument(Exception):
    """A document is refused; ``problems`` lists every fault that was found, in reading order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
