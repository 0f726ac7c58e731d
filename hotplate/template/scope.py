"""The data an expression is resolved against. Everything is in memory before resolving begins."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document import Data, Problem
from hotplate.secret import Secrets, holds_secret, secret
from hotplate.template.budget import Budget

AttributePath = tuple[Data, ...]
"""An attribute's name and the steps into its value."""


@dataclass(frozen=True, slots=True)
class NoValue:
    """In place of the value of an attribute: why there is none.

    Whoever asks for the attribute fails with these words.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class ResourceData:
    """What other resources may know of a resource.

    ``attributes`` is keyed by name, or by name and steps for a value that only the resource
    itself can pick out of a larger one (``("resource.0", "ip")`` of a group).
    """

    reference: str
    attributes: Mapping[Any, Data | NoValue] = field(default_factory=dict)
    has_secrets: bool = False
    """Whether something in it is typed as a secret."""


@dataclass(frozen=True, slots=True)
class Facade:
    """The resource of the parent stack that a nested template stands in for."""

    metadata: Data = field(default=None, repr=False)
    deletion_policy: str = "Delete"
    update_policy: Data = field(default=None, repr=False)


@dataclass(slots=True)
class Scope:
    """Values for one resolution. ``condition`` returns whether a named condition holds.

    ``secret_parameters`` are those whose values have secrets in them. Whatever fetches a value
    that has calls `fetched`; by ``fetches``, which then grows, a call knows that it used one.
    """

    parameters: Mapping[str, Data]
    condition: Callable[[str], bool]
    resources: Mapping[str, ResourceData] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    facade: Facade | None = None
    budget: Budget = field(default_factory=Budget)
    secret_parameters: Collection[str] = ()
    fetches: int = 0
    _secrets: list[Any] = field(default_factory=list, repr=False)

    def fetched(self, value: Any) -> None:
        """Note that a value is used which may have secrets in it."""
        if holds_secret(value):
            self.fetches += 1
            self._secrets.append(value)

    def derived(self, value: Any) -> Any:
        """Return as a secret what was made of one: leaves, and keys that repeat one."""
        made = secret(value)
        if isinstance(made, dict | list):
            made = Secrets.inside(self._secrets).typed_keys(made)
        self._secrets.append(made)
        return made

    def without_secrets(self, problem: Problem) -> Problem:
        """Return a problem that tells none of the secrets that were used so far."""
        if not self._secrets:
            return problem
        mask = Secrets.inside(self._secrets).text
        return replace(
            problem,
            message=mask(problem.message),
            hint=mask(problem.hint),
            path=tuple(mask(step) if isinstance(step, str) else step for step in problem.path),
            subject=mask(problem.subject),
        )
