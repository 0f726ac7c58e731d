"""Collecting what is wrong with a definition, with the path of each fault."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeGuard

from hotplate.document import Path, Problem, did_you_mean

Check: TypeAlias = Callable[[Any], None]
"""Checks a value's expressions without evaluating them. Raises ValueError with the fault."""

MOST_FAULTS: Final = 100
LONGEST_NAME: Final = 255


def looks_like_expression(value: object) -> TypeGuard[str]:
    """Whether a value is one whole expression, of either language."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return text.startswith(("<%", "{{", "{%")) and text.endswith(("%>", "}}", "%}"))


@dataclass(slots=True)
class Faults:
    """The problems found so far; getters note what does not fit and return something harmless."""

    check: Check
    most_expressions: int = 5_000
    most_characters: int = 500_000
    problems: list[Problem] = field(default_factory=list)
    _expressions: int = 0
    _characters: int = 0

    def add(self, message: str, path: Path, hint: str = "") -> None:
        """Note one fault. Only the first hundred are kept."""
        if len(self.problems) < MOST_FAULTS:
            self.problems.append(Problem(message, path, hint))

    def keys(self, data: dict[str, Any], known: Iterable[str], path: Path, what: str) -> None:
        """Every key must be one of the known ones."""
        names = tuple(known)
        for key in data:
            if key not in names:
                hint = did_you_mean(key, names) or f"{what} may have: {', '.join(sorted(names))}"
                self.add(f'{what} has no key "{key}"', (*path, key), hint)

    def a_map(self, value: Any, path: Path, what: str) -> dict[str, Any]:
        """Return the value if it is a map; an empty one stands for nothing."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.add(f"{what} must be a map", path)
        return {}

    def text(self, value: Any, path: Path, what: str) -> str:
        """Return the value if it is a text that is not empty."""
        if isinstance(value, str) and value.strip():
            return value
        self.add(f"{what} must be a text that is not empty", path)
        return ""

    def texts(self, value: Any, path: Path, what: str) -> tuple[str, ...]:
        """Return one text or a list of them as a tuple."""
        if value is None:
            return ()
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            self.add(f"{what} must be a list of texts", path)
            return ()
        return tuple(value)

    def expressions(self, value: Any, path: Path) -> Any:
        """Check the syntax of all expressions in the value, and return it.

        Compiling them is what a definition costs most, therefore their number is limited.
        """
        before = self._expressions, self._characters
        self._count(value)
        if self._expressions > self.most_expressions or self._characters > self.most_characters:
            if before[0] <= self.most_expressions and before[1] <= self.most_characters:
                self.add(
                    f"more than {self.most_expressions} expressions, or of more than "
                    f"{self.most_characters} characters, are not allowed in one document",
                    path,
                )
            return value
        try:
            self.check(value)
        except ValueError as fault:
            self.add(str(fault), path)
        return value

    def _count(self, value: Any) -> None:
        todo = [value]
        while todo:
            each = todo.pop()
            if isinstance(each, str):
                if "<%" in each or "{{" in each or "{%" in each:
                    self._expressions += 1
                    self._characters += len(each)
            elif isinstance(each, dict):
                todo.extend(each.values())
            elif isinstance(each, list):
                todo.extend(each)

    def number(self, value: Any, path: Path, what: str) -> Any:
        """Return a whole number from 0, or an expression that will give one; None if absent."""
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if looks_like_expression(value):
            return self.expressions(value, path)
        self.add(f"{what} must be a whole number from 0, or an expression", path)
        return None

    def boolean(self, value: Any, path: Path, what: str) -> Any:
        """Return true, false or an expression that will give one; None if absent."""
        if value is None or isinstance(value, bool):
            return value
        if looks_like_expression(value):
            return self.expressions(value, path)
        self.add(f"{what} must be true, false or an expression", path)
        return None

    def condition(self, value: Any, path: Path, what: str) -> str:
        """Return an expression; empty if absent."""
        if value is None:
            return ""
        if looks_like_expression(value):
            self.expressions(value, path)
            return value
        self.add(f"{what} must be an expression", path, "write it as <% ... %> or {{ ... }}")
        return ""

    def name(self, value: str, path: Path, what: str) -> None:
        """A name must have 1 to 255 characters."""
        if not 0 < len(value) <= LONGEST_NAME:
            self.add(f"the name of {what} must have 1 to {LONGEST_NAME} characters", path)
