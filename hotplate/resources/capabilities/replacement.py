"""What an old object gives up before its replacement is made, and how it gets that back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from hotplate.resources.resource import Done, Gone, Resource, Wait
from hotplate.resources.resource_type import ResourceType


class PreparesReplacement(ResourceType, ABC):
    """Its object has something that only one object can have, and its replacement needs it.

    A replacement is made while the old object still exists. The engine asks this of the type of
    the old object, before the new one is made. It asks nothing for an object that is external, or
    stays by its deletion policy: then the provider says what is wrong.
    """

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        """Return what the old object gives up, for people; nothing if both can exist. Pure.

        ``new`` are the properties of the new object; None if that is of another type. Previews
        show the answer. Where it is nothing, `prepare_replacement` is not called.
        """
        return "what its replacement needs"

    @abstractmethod
    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        """Let the old object give up what the new one needs. Say Gone if it was deleted for that.

        May be called again at any time, from the beginning and for other new properties, also if
        an earlier call came half-way or to its end: what is given up already is no error. What
        `restore` has to know goes into the data.
        """

    @abstractmethod
    async def restore(self, resource: Resource) -> Done | Wait | Gone:
        """Bring an object back that was prepared, wholly or half-way: it is in use again.

        It has no physical id if it is gone: make it again, and return the new id. If it turns out
        to be gone only now, say Gone, and be called again. The properties are those that are wanted
        now, the old ones those that it had; if they differ, `update` is called afterwards all the
        same. May be called again after a crash: what an earlier call made is found by its key or by
        the creation token, and not made twice.
        """
