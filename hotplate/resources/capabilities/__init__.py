"""What some types can do and others cannot: one class each, found by ``isinstance``.

A type that inherits one answers the questions that the engine asks of it; see the table in
docs/write-your-own-type.md.
"""

from hotplate.resources.capabilities.dependencies import DependsImplicitly, Rule, SameValue
from hotplate.resources.capabilities.later import ActsLater
from hotplate.resources.capabilities.names import TakesNames
from hotplate.resources.capabilities.nested_stacks import NestedStack, Scalable, StagedStack
from hotplate.resources.capabilities.objects import (
    Adoptable,
    Checkable,
    Findable,
    LiveAttributes,
    Showable,
    Snapshots,
    SnapshotsAtDeletion,
    StopsWork,
    Suspendable,
)
from hotplate.resources.capabilities.provider_checks import ChecksCreation, ChecksReplacement
from hotplate.resources.capabilities.replacement import PreparesReplacement
from hotplate.resources.capabilities.signals import (
    ITSELF,
    ActsOnSignals,
    AdjustsGroup,
    Listens,
    TakesSignals,
)
from hotplate.resources.capabilities.software import DeploysSoftware, HostsSoftware
from hotplate.resources.capabilities.surroundings import (
    CompletesProperties,
    NamesResources,
    SendsFiles,
)
from hotplate.resources.capabilities.updates import (
    AlwaysReplaced,
    AlwaysUpdated,
    NeverUpdated,
    RefusesReplacement,
)
from hotplate.resources.capabilities.variants import HasVariants, acting_type

__all__ = [
    "ITSELF",
    "ActsLater",
    "ActsOnSignals",
    "AdjustsGroup",
    "Adoptable",
    "AlwaysReplaced",
    "AlwaysUpdated",
    "Checkable",
    "ChecksCreation",
    "ChecksReplacement",
    "CompletesProperties",
    "DependsImplicitly",
    "DeploysSoftware",
    "Findable",
    "HasVariants",
    "HostsSoftware",
    "Listens",
    "LiveAttributes",
    "NamesResources",
    "NestedStack",
    "NeverUpdated",
    "PreparesReplacement",
    "RefusesReplacement",
    "Rule",
    "SameValue",
    "Scalable",
    "SendsFiles",
    "Showable",
    "Snapshots",
    "SnapshotsAtDeletion",
    "StagedStack",
    "StopsWork",
    "Suspendable",
    "TakesNames",
    "TakesSignals",
    "acting_type",
]
