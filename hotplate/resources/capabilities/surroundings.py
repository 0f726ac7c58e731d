"""What a resource needs of the stack that it is in, besides the values of its properties."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.resources.resource_type import ResourceType
from hotplate.template import ResourceData


class SendsFiles(ResourceType):
    """Sends templates elsewhere: gets the files and the environment of its stack.

    They are in ``resource.files`` and ``resource.environment``; a change of them is an update.
    """


class NamesResources(ResourceType, ABC):
    """Its properties name resources of the same stack."""

    @abstractmethod
    def named_resources(self, properties: Mapping[str, Any]) -> Iterable[str]:
        """Return the names that the properties contain; such resources must exist. Pure."""


class CompletesProperties(ResourceType, ABC):
    """Takes some of its properties from the resources that it depends on."""

    @abstractmethod
    def completed(
        self, properties: dict[str, Any], known: Iterable[ResourceData]
    ) -> dict[str, Any]:
        """Return the properties, with what the resources offer that they refer to.

        ``known`` are the resources of the same stack that this one depends on, as far as they
        exist. Pure. Raises ResourceFailed.
        """
