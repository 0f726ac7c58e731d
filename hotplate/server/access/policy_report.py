"""What the policy says, for people: all rules, and whether some roles may do something."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hotplate.identity import Caller
from hotplate.policy import DEFAULTS, Policy
from hotplate.server.access.authorization import caller_facts, target_facts
from hotplate.server.access.policy_files import PolicyFiles
from hotplate.server.access.token_file import implied_roles
from hotplate.server.configuration import policy_path


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that holds. ``file`` is empty for a default."""

    name: str
    expression: str
    file: str
    default: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something is allowed, by which rule, and why."""

    is_allowed: bool
    rule: str
    """Empty if no rule is about it, which for a resource type means that everybody may use it."""

    expression: str = ""
    reasons: tuple[str, ...] = ()


class PolicyReport:
    """Answers questions about the policy of a configuration. Reads files. Raises CannotStart."""

    def __init__(self, named: str, environ: Mapping[str, str], config: Path | None = None) -> None:
        self._files = PolicyFiles(policy_path(named, environ, config))
        self.policy: Policy = self._files.read()

    @property
    def files(self) -> list[str]:
        """The files that were read."""
        return [str(file) for file in self._files.files()]

    def unknown(self) -> list[str]:
        """Return the rules of files that nothing asks about."""
        return self.policy.unknown(_known_types)

    def rules(self) -> list[Rule]:
        """Return all rules, sorted by name."""
        return [
            Rule(
                name,
                str(written.expression),
                written.file,
                DEFAULTS[name].expression if name in DEFAULTS else "",
            )
            for name, written in sorted(self.policy.written.items())
        ]

    def verdict(self, asked: str, roles: Iterable[str]) -> Verdict | None:
        """Return whether who has some roles may do something; None if there is no such rule.

        ``asked`` is a rule, or a resource type. Roles come with those that they imply.
        """
        rule: str | None = asked
        if asked not in self.policy.checks:
            if ":" in asked and "::" not in asked:
                return None
            rule = self.policy.rule_of_type(asked)
            if rule is None:
                return Verdict(True, "") if "::" in asked else None
        caller = Caller("somebody", "project", roles=implied_roles(roles))
        facts = caller_facts(caller), target_facts(caller)
        return Verdict(
            self.policy.allows(str(rule), *facts),
            str(rule),
            str(self.policy.written[str(rule)].expression),
            tuple(dict.fromkeys(self.policy.reasons(str(rule), *facts))),
        )


def _known_types() -> frozenset[str]:
    from hotplate.resources.catalogue import installed  # noqa: PLC0415 (seldom needed)

    return frozenset(installed())
