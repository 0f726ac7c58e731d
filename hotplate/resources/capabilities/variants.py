"""Types for which another type acts, depending on the properties."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hotplate.resources.resource_type import ResourceType


class HasVariants(ResourceType, ABC):
    """Another type may act for a resource. Templates do not name that one."""

    @property
    @abstractmethod
    def variants(self) -> Sequence[ResourceType]:
        """The types that may act for this one."""

    @abstractmethod
    def variant(self, properties: Mapping[str, Any]) -> ResourceType:
        """Return the type that acts for a resource with these properties, as they are written.

        That is the type itself, or one of `variants`. Pure.
        """


def acting_type(resource_type: ResourceType, properties: Mapping[str, Any]) -> ResourceType:
    """Return the type that acts for a resource with these properties, as they are written."""
    if isinstance(resource_type, HasVariants):
        return resource_type.variant(properties)
    return resource_type
