"""External objects: whether they exist, and what they are like now."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hotplate.engine.context import Tools
from hotplate.engine.world import RealWorld, ServiceMissing
from hotplate.model import Stack, Version
from hotplate.resources.capabilities import Adoptable, Checkable, NestedStack, Showable
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import (
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
)

_SECONDS: Final = 10.0
"""How long a request waits for a provider before the last known values are shown."""


def is_verifiable(resource_type: ResourceType) -> bool:
    """Tell whether a type can find out that an external object exists.

    An instant type calls no provider, so it cannot, whatever it says of itself.
    """
    return isinstance(resource_type, Showable) or (
        isinstance(resource_type, Checkable) and not resource_type.instant
    )


def unfit(resource_type: ResourceType, allows_unverified: bool) -> str:
    """Return why a resource of a type cannot be external; empty if it can."""
    if isinstance(resource_type, NestedStack):
        return "a resource that is a stack cannot be external: it has no object of its own"
    if not is_verifiable(resource_type) and not allows_unverified:
        return (
            f"nobody can verify that an object of the type {resource_type.name} exists; "
            "an operator may allow that with allow_unverified_external"
        )
    return ""


def read_only_resource(
    world: RealWorld, stack: Stack, version: Version, resource_type: ResourceType, physical_id: str
) -> Resource:
    """Return what a type gets that shall only read an external object."""
    return Resource(
        stack_name=stack.name,
        stack_id=stack.id,
        project=stack.project,
        name=version.name,
        creation_token=version.uuid,
        physical_id=physical_id,
        properties={name: declared.default for name, declared in resource_type.properties.items()},
        data=dict(version.data),
        world=world,
        is_external=True,
    )


async def read_object(
    resource_type: ResourceType, resource: Resource, allows_unverified: bool
) -> Done:
    """Return what an external object offers now.

    Raises ObjectMissing if there is none, ResourceFailed if that cannot be found out.
    """
    if fault := unfit(resource_type, allows_unverified):
        raise ResourceFailed(fault)
    if not is_verifiable(resource_type):
        return Done()
    try:
        found: Result = Done()
        if isinstance(resource_type, Checkable):
            found = await resource_type.check(resource)
        elif isinstance(resource_type, Showable):
            found = await resource_type.show(resource)
    except (ResourceFailed, ServiceMissing):
        raise
    except Exception as error:  # whatever a type raises is a failure of its resource
        raise ResourceFailed(str(error), type(error).__name__) from error
    return found if isinstance(found, Done) else Done()


async def live_properties(resource_type: ResourceType, resource: Resource) -> Mapping[str, Any]:
    """Return an object's properties as its provider has them. Raises ResourceFailed."""
    if not isinstance(resource_type, Adoptable):
        return {}
    try:
        return await resource_type.live_properties(resource)
    except (ResourceFailed, ServiceMissing):
        raise
    except Exception as error:
        raise ResourceFailed(str(error), type(error).__name__) from error


@dataclass(frozen=True, slots=True)
class Observation:
    """What was read of an object; with a ``fault`` it could not be read.

    ``is_missing``: its provider says that there is no such object. ``drifted`` are the live values
    of a managed object that are not those applied.
    """

    found: Done = field(default_factory=Done)
    live: Mapping[str, Any] = field(default_factory=dict)
    drifted: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Observations:
    """External objects as they were read before a plan is made.

    ``present`` by the ids of the versions that are external, ``wanted`` by the names of resources.
    """

    present: Mapping[int, Observation] = field(default_factory=dict)
    wanted: Mapping[str, Observation] = field(default_factory=dict)


async def observe(
    tools: Tools,
    stacks: Mapping[str, Stack],
    versions: Sequence[Version],
    wanted: Mapping[str, Version],
) -> Observations:
    """Read the objects that external versions are, and those that imagined ones shall be."""
    found = await asyncio.gather(
        *(
            _observation(tools, stacks[each.stack_id], each)
            for each in (*versions, *wanted.values())
        )
    )
    ids = [version.id for version in versions]
    return Observations(
        dict(zip(ids, found[: len(ids)], strict=True)),
        dict(zip(wanted, found[len(ids) :], strict=True)),
    )


async def _observation(tools: Tools, stack: Stack, version: Version) -> Observation:
    if version.physical_id is None:
        return Observation(fault="what was to be adopted was never found")
    try:
        resource_type = resource_type_for(tools.catalogue, version.type_name)
        resource = read_only_resource(
            tools.world, stack, version, resource_type, version.physical_id
        )
        async with asyncio.timeout(_SECONDS):
            found = await read_object(resource_type, resource, tools.allows_unverified)
            return Observation(found, await live_properties(resource_type, resource))
    except TimeoutError:
        return Observation(fault=f"{version.physical_id} was not seen within {_SECONDS:.0f} s")
    except (ResourceFailed, ServiceMissing, UnknownType) as error:
        return Observation(fault=str(error), is_missing=isinstance(error, ObjectMissing))


async def refreshed(tools: Tools, stack: Stack, versions: Iterable[Version]) -> list[Version]:
    """Return versions, the external ones with what they offer at this moment.

    Nothing is recorded. What cannot be found, or not in time, is as it was last read.
    """
    given = list(versions)
    external = [version for version in given if version.is_external]
    if not external:
        return given
    seen = (await observe(tools, {stack.id: stack}, external, {})).present
    return [as_observed(version, seen.get(version.id)) for version in given]


def as_observed(version: Version, observation: Observation | None) -> Version:
    """Return a version with what its object offers now, as far as that could be read."""
    if observation is None or observation.fault:
        return version
    found = observation.found
    attributes = version.attributes if found.attributes is None else dict(found.attributes)
    return replace(version, attributes=attributes, reference=found.reference or version.reference)
