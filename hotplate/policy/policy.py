"""The rules that hold: the defaults, and what policy files say instead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hotplate.policy.checks import Check, Facts
from hotplate.policy.defaults import DEFAULTS
from hotplate.policy.language import parse_rule
from hotplate.policy.resource_types import PREFIX, rule_of_type


@dataclass(frozen=True, slots=True)
class Written:
    """A rule as it stands somewhere."""

    expression: Any
    file: str = ""
    """Empty for a default."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules by their names. A rule of a file replaces the default of that name."""

    written: Mapping[str, Written]
    checks: Mapping[str, Check] = field(repr=False)
    types: tuple[str, ...] = field(repr=False)
    """The rules about resource types."""

    @classmethod
    def of(cls, changes: Mapping[str, Written] | None = None) -> "Policy":
        """Return the defaults with changes. Raises BadRule."""
        defaults = {name: Written(default.expression) for name, default in DEFAULTS.items()}
        written = {**defaults, **(changes or {})}
        checks = {name: parse_rule(each.expression) for name, each in written.items()}
        return cls(written, checks, tuple(name for name in checks if name.startswith(PREFIX)))

    def allows(self, rule: str, caller: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
        """Return whether a rule holds. One that does not exist allows nothing."""
        check = self.checks.get(rule)
        return check is not None and check.holds(Facts(caller, target, self.checks))

    def reasons(self, rule: str, caller: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
        """Return which conditions a rule looks at, and which of them hold."""
        check = self.checks.get(rule)
        return check.reasons(Facts(caller, target, self.checks)) if check is not None else []

    def rule_of_type(self, name: str) -> str | None:
        """Return the rule about a resource type; None if everybody may use it."""
        return rule_of_type(name, self.types)

    def unknown(self, types: Callable[[], frozenset[str]]) -> list[str]:
        """Return the rules of files that nothing asks about: most often they are misspelt.

        A rule that others refer to, or that is about one of the ``types``, is not among them.
        """
        referred = " ".join(str(each.expression) for each in self.written.values())
        return [
            name
            for name, each in self.written.items()
            if each.file
            and name not in DEFAULTS
            and f"rule:{name}" not in referred
            and not _is_about_types(name, types)
        ]


def _is_about_types(name: str, types: Callable[[], frozenset[str]]) -> bool:
    if not name.startswith(PREFIX):
        return False
    wanted = name.removeprefix(PREFIX)
    if wanted.endswith("*"):
        return any(each.startswith(wanted[:-1]) for each in types())
    return wanted in types()
