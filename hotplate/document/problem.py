"""What is wrong with a document, where, and what would be right."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

Data: TypeAlias = dict[str, Any] | list[Any] | str | int | float | bool | None
"""What a document is made of: exactly the values JSON can carry."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices that lead from the top of a document to one of its values."""


class Severity(Enum):
    """Whether a problem refuses the document or is a warning."""

    ERROR = "error"
    WARNING = "warning"


class Cause(Enum):
    """Faults that people know from Heat. Its API has a sentence of its own for each."""

    OTHER = "other"
    SYNTAX = "not YAML"
    TEMPLATE_NO_MAP = "the template is no map"
    NO_VERSION = "no template version"
    VERSION = "unknown template version"
    SECTION = "unknown section of a template"
    ENVIRONMENT_NO_MAP = "the environment is no map"
    ENVIRONMENT_SECTION = "unknown section of an environment"
    EMPTY_SECTION = "empty section of an environment"
    MISSING_PARAMETER = "no value for a parameter"
    UNKNOWN_PARAMETER = "a value for a parameter that does not exist"
    UNKNOWN_TYPE = "unknown resource type"
    PROPERTY = "a property is wrong"
    CONVERSION = "a property has a value of another kind"
    REFERENCE = "reference to a resource that does not exist"
    PARAMETER_REFERENCE = "reference to a parameter that does not exist"
    CYCLE = "resources need each other"
    ELSEWHERE = "another server refuses it"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def place_data(file: str, position: Position | None) -> dict[str, Any]:
    """Return where something stands, as an object: the file alone where no more is known."""
    return {
        "file": position.file if position else file,
        "line": position.line if position else None,
        "column": position.column if position else None,
    }


def format_path(path: Path) -> str:
    """Return the path as people write it: ``resources.web.properties.networks.0``."""
    return ".".join(str(step) for step in path)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. ``hint`` says what to do about it, where that is known.

    ``subject`` is the name that the fault is about, if its cause is one that has such. ``through``
    are the resources that lead to the template it is in, outermost first: name and template.
    """

    message: str
    path: Path = ()
    hint: str = ""
    position: Position | None = None
    severity: Severity = Severity.ERROR
    file: str = ""
    cause: Cause = Cause.OTHER
    subject: str = ""
    through: tuple[tuple[str, str], ...] = field(default=(), compare=False)

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
