"""Questions that types ask their providers before anything begins."""

from abc import ABC, abstractmethod

from hotplate.resources.resource import Resource
from hotplate.resources.resource_type import ResourceType


class ChecksReplacement(ResourceType, ABC):
    """Asks before an update in place whether the object must be replaced instead."""

    @abstractmethod
    async def must_replace(self, resource: Resource) -> str:
        """Return why a change that would be made in place must replace after all; else nothing.

        Called before an update begins, with the new and the old properties. May ask the provider,
        and must change nothing: it may be called any number of times.
        """


class ChecksCreation(ResourceType, ABC):
    """Asks before a stack is created or updated whether its provider will accept the resource."""

    @abstractmethod
    async def refusal(self, resource: Resource) -> str:
        """Return why the provider will refuse; nothing if it will not, or does not answer.

        Called with null for properties that are not known yet. Must change nothing.
        """
