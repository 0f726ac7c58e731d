"""Which method of a type does what an action asks for."""

from dataclasses import dataclass, replace
from typing import Any

from hotplate.model import Action
from hotplate.resources.capabilities import (
    Adoptable,
    Checkable,
    PreparesReplacement,
    Snapshots,
    SnapshotsAtDeletion,
    Suspendable,
)
from hotplate.resources.cookie import Cookie
from hotplate.resources.resource import Done, Gone, Resource, Result, Wait
from hotplate.resources.resource_type import ObjectMissing, ResourceFailed, ResourceType


@dataclass(frozen=True, slots=True)
class _Keeping(Cookie):
    """A deletion before which the object's state is kept: whether it is, and the type's cookie."""

    is_kept: bool
    cookie: Any = None


async def act(resource_type: ResourceType, action: Action, resource: Resource) -> Result:
    """Let a type act on a resource. What the type has no method for succeeds at once."""
    match action:
        case Action.CREATE:
            method = resource_type.create
        case Action.UPDATE:
            method = resource_type.update
        case Action.DELETE if resource.keeps_snapshot and isinstance(
            resource_type, SnapshotsAtDeletion
        ):
            return await _snapshot_and_delete(resource_type, resource)
        case Action.DELETE:
            method = resource_type.delete
        case Action.ADOPT if isinstance(resource_type, Adoptable):
            method = resource_type.adopt
        case Action.CHECK if isinstance(resource_type, Checkable):
            method = resource_type.check
        case Action.SUSPEND if isinstance(resource_type, Suspendable):
            method = resource_type.suspend
        case Action.RESUME if isinstance(resource_type, Suspendable):
            method = resource_type.resume
        case Action.SNAPSHOT if isinstance(resource_type, Snapshots):
            method = resource_type.snapshot
        case _:
            return Done()
    return await method(resource)


async def _snapshot_and_delete(resource_type: SnapshotsAtDeletion, resource: Resource) -> Result:
    """Keep the state of an object, then delete it. There is nothing to keep of one that is gone."""
    keeping = _Keeping.from_data(resource.cookie)
    has_begun_to_delete = resource.cookie is not None and keeping is None
    if resource.physical_id is None or has_begun_to_delete:
        return await resource_type.delete(resource)
    if keeping is not None and keeping.is_kept:
        return await resource_type.delete(replace(resource, cookie=None))
    before = None if keeping is None else keeping.cookie
    try:
        result = await resource_type.snapshot(replace(resource, cookie=before))
    except ObjectMissing:
        result = Done()
    except ResourceFailed as error:
        text = f"its deletion policy is Snapshot, and no snapshot can be taken: {error}"
        raise ResourceFailed(text, error.error) from error
    if isinstance(result, Wait):
        return replace(result, cookie=_Keeping(False, result.cookie).as_data())
    # What says where the copy is, is recorded before the object is deleted.
    return Wait(_Keeping(True).as_data(), 0, data=result.data)


async def take_back(resource_type: ResourceType, resource: Resource) -> Result:
    """Let a type manage an object that was external until now."""
    if isinstance(resource_type, Adoptable):
        return await resource_type.take_back(resource)
    return await resource_type.update(resource)


async def restore(resource_type: ResourceType, resource: Resource) -> Result | Gone:
    """Let a type bring an object back that was prepared for its replacement."""
    if isinstance(resource_type, PreparesReplacement):
        return await resource_type.restore(resource)
    return await resource_type.update(resource)
