"""What can be done with the object of a resource besides making, changing and deleting it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from hotplate.document import Data
from hotplate.resources.resource import Creation, Done, Resource, Result, Wait, World
from hotplate.resources.resource_type import ResourceType


class Findable(ResourceType, ABC):
    """Its object can be found by the creation token, after a worker died while creating it."""

    creation = Creation.FINDABLE

    grace_seconds: ClassVar[float] = 0
    """How long a created object may be missing from what `find` sees."""

    @abstractmethod
    async def find(self, resource: Resource) -> str | None:
        """Return the physical id of the object with the creation token, None if there is none."""

    def may_exist(self, resource: Resource) -> bool:
        """Tell whether a creation that did not end may have made an object that `find` finds."""
        return True


class Checkable(ResourceType, ABC):
    """A check of the stack reads its object.

    So it is known whether an external object exists, unless the type is instant.
    """

    @abstractmethod
    async def check(self, resource: Resource) -> Result:
        """Raise ResourceFailed unless the object is well; ObjectMissing if it does not exist."""


class Showable(ResourceType, ABC):
    """Cannot check, but can read whether an external object exists."""

    @abstractmethod
    async def show(self, resource: Resource) -> Done:
        """Return what there is to know of the object with the physical id, and change nothing.

        Raises ObjectMissing if there is none, ResourceFailed if that is unknown.
        """


class Adoptable(ResourceType):
    """An object that exists already can be taken over.

    Without this an object that is taken over is only recorded, and then updated if it was external.
    """

    irrecoverable: ClassVar[str] = ""
    """What the type keeps of an object and cannot be found out later.

    An object that was external from the beginning cannot be managed without it.
    """

    async def adopt(self, resource: Resource) -> Result:
        """Take over an object that exists already; its physical id and data are given."""
        return Done()

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        """Return the values of those properties that the provider knows, and change nothing.

        They have the form in which a template gives them. Called by a check of a managed object,
        and by an update that converges: what differs from what was applied is drift. Raises
        ObjectMissing if there is no such object, ResourceFailed if it cannot be read.

        Called also before an external object is managed. A property that cannot be changed in
        place and has another value here than is wanted leads to a new object; what is
        left out is taken for equal, or set if that can be done in place.
        """
        return {}

    async def take_back(self, resource: Resource) -> Result:
        """Manage an object that was external until now: adopt it, then update it.

        Nothing is known of what its properties were: there are no old ones. A type whose `adopt`
        waits overrides this.
        """
        taken: Result = Done()
        if resource.cookie is None:
            taken = await self.adopt(resource)
            if taken.data is not None:
                resource.data = taken.data
        result = await self.update(resource)
        data = taken.data if result.data is None else result.data
        if isinstance(result, Wait) or isinstance(taken, Wait):
            return replace(result, data=data)
        return Done(
            result.physical_id,
            taken.reference if result.reference is None else result.reference,
            taken.attributes if result.attributes is None else result.attributes,
            data,
        )


class LiveAttributes(ResourceType, ABC):
    """Some of its attributes change without an action of the resource.

    They are read when somebody asks for them; whoever depends on the resource gets the values that
    its last action returned.
    """

    live_attributes: ClassVar[frozenset[str]] = frozenset()
    """Names of these attributes. ``show`` may be one: all that the provider says of the object."""

    @abstractmethod
    async def read_attributes(
        self, resource: Resource, names: Collection[str]
    ) -> Mapping[str, Data]:
        """Return the present values of live attributes, at least of those asked for.

        Changes nothing. Must be quick: a request waits for it. Raises ResourceFailed.
        """


class StopsWork(ResourceType):
    """Its actions are work that goes on elsewhere until the type stops it.

    As soon as that work is not wanted any more, the method that waits is called again at once, with
    ``resource.is_wanted`` False, until it says that the work has ended.
    """


class Suspendable(ResourceType, ABC):
    """Its object can be put to rest."""

    @abstractmethod
    async def suspend(self, resource: Resource) -> Result:
        """Put the object to rest."""

    @abstractmethod
    async def resume(self, resource: Resource) -> Result:
        """Wake the object up."""


class Snapshots(ResourceType, ABC):
    """Keeps copies of its object's state."""

    @abstractmethod
    async def snapshot(self, resource: Resource) -> Result:
        """Keep a copy of the object's state; what is needed to find it again goes into the data."""

    def restored(self, properties: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties that bring back what a snapshot kept in the data. Pure.

        Restoring is an update to these properties.
        """
        return dict(properties)


class SnapshotsAtDeletion(Snapshots, ABC):
    """Its snapshots outlive the object, so that its deletion policy may be Snapshot."""

    @abstractmethod
    async def remove_snapshot(self, world: World, kept: Mapping[str, Any]) -> None:
        """Remove the copy that the data of a snapshot tell of. That there is none is no error."""
