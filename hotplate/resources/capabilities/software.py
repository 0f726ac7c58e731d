"""Resources behind which the engine keeps software configs and deployments."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.capabilities.signals import TakesSignals
from hotplate.resources.resource_type import ResourceType


class DeploysSoftware(TakesSignals):
    """Is the software deployment of its physical id: a signal to it is its server's report."""


class HostsSoftware(ResourceType):
    """Its metadata lists the software that is deployed to its physical id."""

    def hosts_software(self, properties: Mapping[str, Any]) -> bool:
        """Tell whether a resource with these properties does. Pure."""
        return True
