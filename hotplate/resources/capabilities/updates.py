"""Types whose resources an update of the stack treats otherwise than by comparing properties."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from hotplate.resources.resource_type import ResourceType


class AlwaysUpdated(ResourceType, ABC):
    """May be updated by every update of the stack, also if nothing has changed."""

    @abstractmethod
    def always_updates(self, properties: Mapping[str, Any]) -> bool:
        """Tell whether a resource with these properties is. Pure."""


class AlwaysReplaced(ResourceType):
    """Is replaced by every update of the stack, also if nothing has changed."""


class NeverUpdated(ResourceType):
    """Once created, the object stays as it is, whatever the template says later."""
