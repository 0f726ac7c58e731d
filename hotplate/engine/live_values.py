"""What the objects of managed resources are like at this moment. Nothing is recorded."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from hotplate.engine.context import Tools
from hotplate.engine.external_objects import Observation, live_properties
from hotplate.engine.world import RealWorld, ServiceMissing
from hotplate.model import Stack, Version
from hotplate.plan.drift import can_be_compared
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ObjectMissing, Resource, ResourceFailed, ResourceType

_SECONDS: Final = 10.0
"""How long a request waits for a provider."""

_AT_A_TIME: Final = 20
"""Objects that one request reads side by side."""


def readable_resource(
    world: RealWorld, stack: Stack, version: Version, resource_type: ResourceType
) -> Resource:
    """Return what a type gets that shall only read a managed object. Raises BadProperty."""
    return Resource(
        stack_name=stack.name,
        stack_id=stack.id,
        project=stack.project,
        name=version.name,
        creation_token=version.uuid,
        physical_id=version.physical_id,
        properties=resource_type.convert(version.definition.properties),
        data=dict(version.data),
        world=world,
        metadata=version.definition.metadata,
    )


async def observe_managed(
    tools: Tools, stacks: Mapping[str, Stack], versions: Sequence[Version]
) -> dict[int, Observation]:
    """Read the properties of managed objects whose types can tell them, by version."""
    turns = asyncio.Semaphore(_AT_A_TIME)

    async def observed(version: Version) -> Observation | None:
        async with turns:
            return await _observation(tools, stacks[version.stack_id], version)

    found = await asyncio.gather(*map(observed, versions))
    return {
        version.id: observation
        for version, observation in zip(versions, found, strict=True)
        if observation is not None
    }


async def _observation(tools: Tools, stack: Stack, version: Version) -> Observation | None:
    if version.physical_id is None or version.is_external or version.is_nested_stack:
        return None
    try:
        resource_type = resource_type_for(tools.catalogue, version.type_name)
        if not can_be_compared(resource_type):
            return None
        resource = readable_resource(tools.world, stack, version, resource_type)
        async with asyncio.timeout(_SECONDS):
            return Observation(live=await live_properties(resource_type, resource))
    except TimeoutError:
        return Observation(fault=f"{version.physical_id} was not seen within {_SECONDS:.0f} s")
    except (ResourceFailed, ServiceMissing, UnknownType, BadProperty) as error:
        return Observation(fault=str(error), is_missing=isinstance(error, ObjectMissing))
