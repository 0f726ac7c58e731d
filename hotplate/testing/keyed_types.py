"""Resource types on the simulated cloud whose objects have a key that only one object can have."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources import Done, Gone, Resource, Result, Wait
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.testing.cloud import CloudObject, NoSuchObject, SimulatedCloud
from hotplate.testing.cloud_types import FindableThing, cloud_of, progress, value_of


class KeyedThing(FindableThing, PreparesReplacement):
    """An object with a key: all versions of a resource have the same, but a few have none."""

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        return "its key" if has_key(old) and (new is None or has_key(new)) else ""

    async def create(self, resource: Resource) -> Result:
        if resource.physical_id is not None:
            return await super().create(resource)
        item = await cloud_of(resource).create(
            resource.creation_token, resource.name, value_of(resource), self.once, _key(resource)
        )
        return progress(cloud_of(resource), item, "create")


class ExclusiveThing(KeyedThing):
    """An object that must be deleted before another one can have its key."""

    name = "Test::Exclusive"

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        cloud, object_id = cloud_of(resource), resource.physical_id or ""
        item: CloudObject | None
        try:
            if resource.cookie is None:
                item = await cloud.delete(object_id, resource.name, "remove")
            else:
                item = await cloud.read(object_id, resource.name)
        except NoSuchObject:
            item = None
        if item is not None and not cloud.is_ready(item, "remove"):
            return Wait({"removing": item.id}, SimulatedCloud.POLL)
        if item is not None:
            cloud.forget(item)
        return Gone()

    async def restore(self, resource: Resource) -> Done | Wait | Gone:
        cloud, object_id = cloud_of(resource), resource.physical_id
        if object_id is None:
            item = await cloud.create(
                resource.creation_token, resource.name, value_of(resource), True, _key(resource)
            )
            return progress(cloud, item, "create")
        try:
            item = await cloud.read(object_id, resource.name)
        except NoSuchObject:
            return Gone()
        if not item.is_going:
            return progress(cloud, item, "create")
        if not cloud.is_ready(item, "remove"):
            return Wait({"removing": item.id}, SimulatedCloud.POLL)
        cloud.forget(item)
        return Gone()


class AttachedThing(KeyedThing):
    """An object from which its key can be taken, and given back."""

    name = "Test::Attached"

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        cloud, object_id = cloud_of(resource), resource.physical_id or ""
        try:
            if resource.cookie is None:
                item = await cloud.release(object_id, resource.name)
            else:
                item = await cloud.read(object_id, resource.name)
        except NoSuchObject:
            return Gone()
        if not cloud.is_ready(item, "release"):
            return Wait({"releasing": item.id}, SimulatedCloud.POLL)
        return Done()

    async def restore(self, resource: Resource) -> Result:
        cloud, object_id = cloud_of(resource), resource.physical_id or ""
        if resource.cookie is None:
            item = await cloud.attach(object_id, resource.name)
        else:
            item = await cloud.read(object_id, resource.name)
        return progress(cloud, item, "attach")


def has_key(properties: Mapping[str, Any]) -> bool:
    """Tell whether an object with these properties has a key."""
    return not str(properties["fixed"]).startswith("z")


def _key(resource: Resource) -> str:
    return f"{resource.stack_id}.{resource.name}" if has_key(resource.properties) else ""


KEYED_TYPES = (ExclusiveThing(), AttachedThing())
