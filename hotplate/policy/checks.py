"""What a rule consists of. Each check holds or not, and can say what it looks at."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

_FROM_TARGET: Final = re.compile(r"%\(([^()]+)\)s")
_DEEPEST: Final = 32
"""Rules that refer to each other, one inside the other."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known when a rule is asked about a request."""

    caller: Mapping[str, Any]
    """Of whom: ``roles`` are names in lower case; ``user_id``, ``project_id``, ``is_admin`` …"""

    target: Mapping[str, Any] = field(default_factory=dict)
    """Of what the request is about, such as ``project_id``."""

    rules: Mapping[str, "Check"] = field(default_factory=dict)
    depth: int = 0


class Check(Protocol):
    """One condition, or several that are put together."""

    def holds(self, facts: Facts) -> bool:
        """Return whether the condition is met. Never raises."""
        ...

    def reasons(self, facts: Facts) -> list[str]:
        """Return the single conditions that were looked at, each with whether it holds."""
        ...


@dataclass(frozen=True, slots=True)
class Always:
    """`@`, and the empty rule."""

    def holds(self, facts: Facts) -> bool:
        return True

    def reasons(self, facts: Facts) -> list[str]:
        return ["everybody may"]


@dataclass(frozen=True, slots=True)
class Never:
    """`!`."""

    def holds(self, facts: Facts) -> bool:
        return False

    def reasons(self, facts: Facts) -> list[str]:
        return ["nobody may"]


@dataclass(frozen=True, slots=True)
class Not:
    """`not` and a check."""

    check: Check

    def holds(self, facts: Facts) -> bool:
        return not self.check.holds(facts)

    def reasons(self, facts: Facts) -> list[str]:
        return self.check.reasons(facts)


@dataclass(frozen=True, slots=True)
class All:
    """Checks with `and` between them."""

    checks: Sequence[Check]

    def holds(self, facts: Facts) -> bool:
        return all(check.holds(facts) for check in self.checks)

    def reasons(self, facts: Facts) -> list[str]:
        return [reason for check in self.checks for reason in check.reasons(facts)]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Checks with `or` between them."""

    checks: Sequence[Check]

    def holds(self, facts: Facts) -> bool:
        return any(check.holds(facts) for check in self.checks)

    def reasons(self, facts: Facts) -> list[str]:
        return [reason for check in self.checks for reason in check.reasons(facts)]


@dataclass(frozen=True, slots=True)
class Role:
    """`role:NAME`."""

    name: str

    def holds(self, facts: Facts) -> bool:
        name = _filled(self.name, facts.target)
        return name is not None and name.lower() in facts.caller.get("roles", ())

    def reasons(self, facts: Facts) -> list[str]:
        return [_shown(f"role:{self.name}", self.holds(facts))]


@dataclass(frozen=True, slots=True)
class Reference:
    """`rule:NAME`. A rule that does not exist allows nothing."""

    name: str

    def holds(self, facts: Facts) -> bool:
        check = facts.rules.get(self.name)
        return check is not None and facts.depth < _DEEPEST and check.holds(_deeper(facts))

    def reasons(self, facts: Facts) -> list[str]:
        check = facts.rules.get(self.name)
        if check is None or facts.depth >= _DEEPEST:
            return [f"rule:{self.name} does not exist, or refers to itself"]
        return check.reasons(_deeper(facts))


@dataclass(frozen=True, slots=True)
class Equal:
    """`ATTRIBUTE:VALUE`: a fact of the caller, or a literal, is the same as a value.

    The value may come from the target: ``%(name)s``.
    """

    attribute: str
    value: str
    literal: str | None = None

    def holds(self, facts: Facts) -> bool:
        wanted = _filled(self.value, facts.target)
        if wanted is None:
            return False
        if self.literal is not None:
            return self.literal == wanted
        found: Any = facts.caller
        for part in self.attribute.split("."):
            if not isinstance(found, Mapping) or part not in found:
                return False
            found = found[part]
        values = found if isinstance(found, list | tuple | frozenset) else (found,)
        return any(str(value) == wanted for value in values)

    def reasons(self, facts: Facts) -> list[str]:
        return [_shown(f"{self.attribute}:{self.value}", self.holds(facts))]


def _filled(text: str, target: Mapping[str, Any]) -> str | None:
    """Return a value with what the target has in it; None if the target has no such thing."""
    if any(name not in target for name in _FROM_TARGET.findall(text)):
        return None
    return _FROM_TARGET.sub(lambda match: str(target[match[1]]), text)


def _deeper(facts: Facts) -> Facts:
    return Facts(facts.caller, facts.target, facts.rules, facts.depth + 1)


def _shown(words: str, holds: bool) -> str:
    return f"{words} {'holds' if holds else 'does not hold'}"
