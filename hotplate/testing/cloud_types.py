"""Resource types on the simulated cloud, one for each way of creating."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hotplate.resources import (
    Creation,
    Done,
    ObjectMissing,
    Property,
    PropertyKind,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
    Wait,
)
from hotplate.resources.capabilities import (
    ActsOnSignals,
    Adoptable,
    AlwaysUpdated,
    Checkable,
    DependsImplicitly,
    Findable,
    SameValue,
    StopsWork,
    Suspendable,
)
from hotplate.resources.resource_type import BadSignal
from hotplate.testing.cloud import (
    CloudConnection,
    CloudError,
    CloudObject,
    NoSuchObject,
    SimulatedCloud,
)


class FindableThing(Findable, Checkable, Adoptable, Suspendable):
    """An object that can be found by its creation token, a little while after it was made."""

    name = "Test::Findable"
    grace_seconds = 3.0
    properties = {
        "value": Property(PropertyKind.ANY, updatable=True),
        "fixed": Property(PropertyKind.ANY),
    }
    attributes = {"value": "the value of the object"}
    once = False

    async def create(self, resource: Resource) -> Result:
        cloud = cloud_of(resource)
        if resource.physical_id is None:
            value = value_of(resource)
            item = await cloud.create(resource.creation_token, resource.name, value, self.once)
        else:
            item = await cloud.read(resource.physical_id, resource.name)
        return progress(cloud, item, "create")

    async def update(self, resource: Resource) -> Result:
        cloud = cloud_of(resource)
        object_id = resource.physical_id or ""
        if resource.cookie is None:
            item = await cloud.update(object_id, resource.name, value_of(resource))
        else:
            item = await cloud.read(object_id, resource.name)
        return progress(cloud, item, "update")

    async def adopt(self, resource: Resource) -> Result:
        object_id = resource.physical_id or ""
        item = await cloud_of(resource).adopt(object_id, resource.name, resource.creation_token)
        return Done(item.id, attributes={"value": item.value})

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        try:
            item = await cloud_of(resource).read(resource.physical_id or "", resource.name)
        except NoSuchObject as error:
            raise ObjectMissing(str(error)) from None
        if resource.is_external:
            return {"value": item.value, "fixed": item.value}
        # One of the two was applied, and nobody can tell from the object which.
        return {"value" if resource.properties["fixed"] is None else "fixed": item.value}

    async def delete(self, resource: Resource) -> Result:
        cloud = cloud_of(resource)
        object_id = resource.physical_id or ""
        item: CloudObject | None
        try:
            if resource.cookie is None:
                item = await cloud.delete(object_id, resource.name)
            else:
                item = await cloud.read(object_id, resource.name)
        except CloudError as error:
            if "there is no object" in str(error):
                return Done()
            raise
        if item is None:
            return Done()
        if not cloud.is_ready(item, "delete"):
            return Wait({"deleting": item.id}, SimulatedCloud.POLL)
        cloud.forget(item)
        return Done()

    async def find(self, resource: Resource) -> str | None:
        return await cloud_of(resource).find(resource.creation_token, resource.name)

    async def check(self, resource: Resource) -> Result:
        try:
            item = await cloud_of(resource).read(resource.physical_id or "", resource.name)
        except NoSuchObject as error:
            raise ObjectMissing(str(error)) from None
        if item.is_broken:
            raise ResourceFailed("the object is broken")
        return Done(attributes={"value": item.value}) if resource.is_external else Done()

    async def suspend(self, resource: Resource) -> Result:
        return await self._switch(resource, "suspend", True)

    async def resume(self, resource: Resource) -> Result:
        return await self._switch(resource, "resume", False)

    async def _switch(self, resource: Resource, verb: str, suspended: bool) -> Result:
        object_id = resource.physical_id or ""
        await cloud_of(resource).switch(object_id, resource.name, verb, suspended)
        return Done()


class RepeatableThing(FindableThing):
    """An object of which the provider makes no second one with the same creation token."""

    name = "Test::Repeatable"
    creation = Creation.REPEATABLE
    once = True


class UntraceableThing(FindableThing):
    """An object that bears no creation token: it is unknown later whether it was made."""

    name = "Test::Untraceable"
    creation = Creation.NEITHER

    async def find(self, resource: Resource) -> str | None:
        return None


class InstantThing(ResourceType):
    """Nothing but rows: no provider is called, and what it is given can be seen in its data."""

    name = "Test::Instant"
    instant = True
    creation = Creation.REPEATABLE
    properties = FindableThing.properties
    attributes = {"value": "what it was given"}

    async def create(self, resource: Resource) -> Result:
        return self._given(resource)

    async def update(self, resource: Resource) -> Result:
        return self._given(resource)

    def _given(self, resource: Resource) -> Result:
        value = value_of(resource)
        if value == "refused":
            raise ResourceFailed("it may not be that")
        object_id = f"row-{resource.creation_token}"
        return Done(object_id, attributes={"value": value}, data={"value": value})


class SignalledThing(FindableThing, ActsOnSignals):
    """An object that does something about signals, and remembers which there were."""

    name = "Test::Told"
    growing = {"told": 1_000}

    async def signalled(
        self, resource: Resource, details: Mapping[str, Any], signal_token: str
    ) -> Mapping[str, Sequence[Any]]:
        try:
            await cloud_of(resource).read(resource.physical_id or "", resource.name)
        except CloudError as error:
            raise BadSignal(str(error)) from None
        return {"told": [details["id"]]}


class RestlessThing(FindableThing, AlwaysUpdated):
    """An object that every update of its stack updates, also if nothing has changed."""

    name = "Test::Restless"

    def always_updates(self, properties: Mapping[str, Any]) -> bool:
        return True


class ElsewhereThing(RepeatableThing, StopsWork):
    """An object whose actions are work that goes on elsewhere until it ends or is stopped.

    That an action begins is stored before anything is started. While the provider cannot be
    reached it is tried again.
    """

    name = "Test::Elsewhere"

    async def create(self, resource: Resource) -> Result:
        return await self._worked(resource, "create", _set(value_of(resource)))

    async def update(self, resource: Resource) -> Result:
        return await self._worked(resource, "update", _set(value_of(resource)))

    async def suspend(self, resource: Resource) -> Result:
        return await self._worked(resource, "suspend", _switch(True))

    async def resume(self, resource: Resource) -> Result:
        return await self._worked(resource, "resume", _switch(False))

    async def delete(self, resource: Resource) -> Result:
        cookie = resource.cookie or {}
        cloud = cloud_of(resource)
        if "verb" not in cookie:
            try:
                item = await cloud.stop(resource.creation_token, resource.name)
            except CloudError:
                return Wait({"stopping": True}, SimulatedCloud.POLL)
            if item is None:
                return Done()
        result = await self._worked(resource, "delete", _let_go)
        if isinstance(result, Done):
            cloud.forget_created_with(resource.creation_token)
            return Done()
        return result

    async def _worked(
        self, resource: Resource, verb: str, change: Callable[[CloudObject], None]
    ) -> Result:
        """Go on with the work of an action: note it, begin it, look at it."""
        cookie = resource.cookie or {}
        cloud = cloud_of(resource)
        if "stopped" in cookie:
            raise ResourceFailed(f"the {verb} was stopped")
        if cookie.get("verb") != verb:
            return Wait({"verb": verb}, 0)
        try:
            if not resource.is_wanted:
                item = await cloud.stop(resource.creation_token, resource.name)
                found = None if item is None else item.id
                return Wait({"stopped": True}, 0, physical_id=found)
            if "begun" in cookie:
                item = await cloud.read(cookie["begun"], resource.name)
            else:
                item = await cloud.start(verb, resource.creation_token, resource.name, change)
        except CloudError as error:
            if "there is no object" in str(error):
                raise
            return Wait(cookie, SimulatedCloud.POLL)
        if item.work or not cloud.is_ready(item, verb):
            begun = {"verb": verb, "begun": item.id}
            return Wait(begun, SimulatedCloud.POLL, physical_id=item.id)
        if item.is_broken and verb != "delete":
            raise ResourceFailed(f"the object {item.id} is broken")
        return Done(item.id, attributes={"value": item.value})


class RetriedThing(FindableThing):
    """An object that is deleted if it comes up broken, and made anew, a few times."""

    name = "Test::Retried"
    most_failures = 3

    async def create(self, resource: Resource) -> Result:
        cloud = cloud_of(resource)
        if resource.physical_id is None:
            value = value_of(resource)
            item = await cloud.create(resource.creation_token, resource.name, value, self.once)
        elif "removing" in (resource.cookie or {}):
            return await self._removed(resource)
        else:
            item = await cloud.read(resource.physical_id, resource.name)
        failures = 1 + resource.data.get("failures", 0)
        is_broken = cloud.is_ready(item, "create") and item.is_broken
        if not is_broken or failures > self.most_failures or not resource.is_wanted:
            return progress(cloud, item, "create")
        data = {"failures": failures}
        return Wait({"removing": None}, 0, physical_id=item.id, data=data)

    async def _removed(self, resource: Resource) -> Result:
        result = await self.delete(replace(resource, cookie=resource.cookie["removing"]))
        if isinstance(result, Wait):
            return Wait({"removing": result.cookie}, result.seconds)
        return Wait(None, SimulatedCloud.POLL, is_gone=True)


class WaitingThing(FindableThing, DependsImplicitly):
    """An object that must be made after all repeatable ones with the same value."""

    name = "Test::Waiting"
    waits_for = (SameValue("Test::Repeatable", "value|fixed", "value|fixed"),)


CLOUD_TYPES = (
    FindableThing(),
    RepeatableThing(),
    UntraceableThing(),
    InstantThing(),
    SignalledThing(),
    RestlessThing(),
    ElsewhereThing(),
    RetriedThing(),
    WaitingThing(),
)


def _set(value: Any) -> Callable[[CloudObject], None]:
    def change(item: CloudObject) -> None:
        item.value = value

    return change


def _switch(suspended: bool) -> Callable[[CloudObject], None]:
    def change(item: CloudObject) -> None:
        item.is_suspended = suspended

    return change


def _let_go(item: CloudObject) -> None:
    item.is_going = True


def cloud_of(resource: Resource) -> CloudConnection:
    """Return the provider of a resource."""
    connection: CloudConnection = resource.world.service("cloud")
    return connection


def value_of(resource: Resource) -> Any:
    """Return the value that the object of a resource shall have."""
    fixed = resource.properties["fixed"]
    return fixed if fixed is not None else resource.properties["value"]


def progress(cloud: CloudConnection, item: CloudObject, verb: str) -> Result:
    """Return how far an object has come with what it was asked for."""
    if not cloud.is_ready(item, verb):
        return Wait({verb: item.id}, SimulatedCloud.POLL, physical_id=item.id)
    if item.is_broken:
        raise ResourceFailed(f"the object {item.id} is broken")
    return Done(item.id, attributes={"value": item.value})
