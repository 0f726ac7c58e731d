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


class RefusesReplacement(ResourceType, ABC):
    """Cannot be replaced by just anything: the provider would refuse the new object."""

    @abstractmethod
    def replacement_refusal(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        """Return why a change of properties that replaces must not be begun; else nothing. Pure.

        What a preview does not know of the new properties is some text.
        """
