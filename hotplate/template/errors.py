"""What can go wrong while a template is compiled, bound to values, or resolved."""

from collections.abc import Iterable
from dataclasses import replace

from hotplate.document import Cause, Data, Document, InvalidDocument, Path, Problem, Severity

_LONGEST = 2000
"""Characters of a message: values in it may be as long as the template."""


class InvalidTemplate(InvalidDocument):
    """A template is refused, alone or together with the values given for it.

    ``warnings`` are what was found besides.
    """

    def __init__(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        super().__init__(problems)
        self.warnings = tuple(warnings)


class ResolveError(Exception):
    """An expression has no value for the data it was given; ``problem`` says which and why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


class BadCall(Exception):
    """A function refuses its arguments. The caller knows the place and adds it."""

    cause = Cause.OTHER
    subject = ""

    def __init__(self, message: str, hint: str = "", path: Path = ()) -> None:
        self.message = message
        self.hint = hint
        self.path = path
        super().__init__(message)


class UnknownName(BadCall):
    """A call names something that does not exist."""


class UnknownResource(UnknownName):
    """A call names a resource that does not exist."""

    cause = Cause.REFERENCE

    def __init__(self, name: str, hint: str) -> None:
        self.subject = name
        super().__init__(f'there is no resource "{name}"', hint)


class UnknownParameter(UnknownName):
    """A call names a parameter that does not exist."""

    cause = Cause.PARAMETER_REFERENCE

    def __init__(self, name: str, hint: str) -> None:
        self.subject = name
        super().__init__(f'there is no parameter "{name}"', hint)


class Problems:
    """Collects what is wrong with one document, up to a sensible number of each severity."""

    _MOST = 100

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: dict[Severity, dict[tuple[str, Path], Problem]] = {
            severity: {} for severity in Severity
        }

    @property
    def count(self) -> int:
        """How many are remembered."""
        return sum(map(len, self._found.values()))

    def add(
        self,
        message: str,
        path: Path = (),
        hint: str = "",
        severity: Severity = Severity.ERROR,
        cause: Cause = Cause.OTHER,
        subject: str = "",
    ) -> None:
        """Remember a problem that is described here, as `take` does."""
        self.take(Problem(message, path, hint, None, severity, "", cause, subject))

    def take(self, problem: Problem) -> None:
        """Remember a problem; the same one is kept once.

        Raises InvalidTemplate if there are too many errors.
        """
        found = self._found[problem.severity]
        message = problem.message
        if len(message) > _LONGEST:
            message = message[:_LONGEST] + "…"
            problem = replace(problem, message=message)
        if len(found) < self._MOST:
            found.setdefault((message, problem.path), problem)
        elif problem.severity is Severity.ERROR:
            # Finding more would cost time, and so many are not read.
            raise InvalidTemplate(self.errors)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that refuse the document, each with its place."""
        return self._placed(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The others."""
        return self._placed(Severity.WARNING)

    def raise_if_any(self) -> None:
        """Raise InvalidTemplate if there are errors."""
        errors = self.errors
        if errors:
            raise InvalidTemplate(errors, self.warnings)

    def _placed(self, severity: Severity) -> tuple[Problem, ...]:
        placed = map(self._document.placed, self._found[severity].values())
        return tuple(sorted(placed, key=_reading_order))


def _reading_order(problem: Problem) -> tuple[int, int]:
    position = problem.position
    return (position.line, position.column) if position else (0, 0)


def kind_of(value: Data) -> str:
    """Return what a value is, in the words of the template guide."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "a map" if isinstance(value, dict) else "a list"
