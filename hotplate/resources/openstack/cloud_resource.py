"""A resource and the cloud in which its object is: what the methods of a cloud type work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hotplate.cloud import Cloud, Service
from hotplate.resources.resource_type import Resource, ResourceFailed


@dataclass(frozen=True, slots=True)
class CloudResource:
    """What is known of a resource when its type acts.

    ``properties`` and ``old_properties`` have ids where the template may have names.
    """

    resource: Resource
    cloud: Cloud
    service: Service
    properties: Mapping[str, Any]
    old_properties: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id of the object. Raises ResourceFailed if there is none yet."""
        if self.resource.physical_id is None:
            raise ResourceFailed("it was never created")
        return self.resource.physical_id

    @property
    def quoted_id(self) -> str:
        """The id as it stands in an address."""
        return quote(self.id, safe="")

    def changed(self, name: str) -> bool:
        """Tell whether an update changes a property; without an old value every one that is given.

        That is so when an object that was external becomes managed.
        """
        if name not in self.old_properties:
            return self.properties.get(name) is not None
        return bool(self.properties.get(name) != self.old_properties[name])
