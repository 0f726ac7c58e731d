"""Which method of a type does what an action asks for."""

from hotplate.model import Action
from hotplate.resources.capabilities import (
    Adoptable,
    Checkable,
    PreparesReplacement,
    Snapshots,
    Suspendable,
)
from hotplate.resources.resource import Done, Gone, Resource, Result
from hotplate.resources.resource_type import ResourceType


async def act(resource_type: ResourceType, action: Action, resource: Resource) -> Result:
    """Let a type act on a resource. What the type has no method for succeeds at once."""
    match action:
        case Action.CREATE:
            method = resource_type.create
        case Action.UPDATE:
            method = resource_type.update
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
