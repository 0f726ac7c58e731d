"""What some types can do and others cannot: one class each, found by ``isinstance``.

A type that inherits one answers the questions that the engine asks of it; see the table in
docs/write-your-own-type.md.
"""

from hotplate.resources.capabilities.nested_stacks import NestedStack, Scalable, StagedStack
from hotplate.resources.capabilities.objects import (
    Adoptable,
    Checkable,
    Findable,
    Showable,
    Snapshots,
    Suspendable,
)
from hotplate.resources.capabilities.signals import (
    ITSELF,
    ActsOnSignals,
    AdjustsGroup,
    Listens,
    TakesSignals,
)
from hotplate.resources.capabilities.software import DeploysSoftware, HostsSoftware

__all__ = [
    "ITSELF",
    "ActsOnSignals",
    "AdjustsGroup",
    "Adoptable",
    "Checkable",
    "DeploysSoftware",
    "Findable",
    "HostsSoftware",
    "Listens",
    "NestedStack",
    "Scalable",
    "Showable",
    "Snapshots",
    "StagedStack",
    "Suspendable",
    "TakesSignals",
]
