"""The data an expression is resolved against. Everything is in memory before resolving begins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hotplate.document import Data
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


@dataclass(frozen=True, slots=True)
class Facade:
    """The resource of the parent stack that a nested template stands in for."""

    metadata: Data = None
    deletion_policy: str = "Delete"
    update_policy: Data = None


@dataclass(slots=True)
class Scope:
    """Values for one resolution. ``condition`` returns whether a named condition holds."""

    parameters: Mapping[str, Data]
    condition: Callable[[str], bool]
    resources: Mapping[str, ResourceData] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    facade: Facade | None = None
    budget: Budget = field(default_factory=Budget)
