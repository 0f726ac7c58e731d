"""What objects are like at this moment. Nothing is recorded."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hotplate.engine.context import Tools
from hotplate.engine.external_objects import Observation, live_properties, read_only_resource
from hotplate.engine.world import RealWorld, ServiceMissing
from hotplate.model import Action, Difference, Stack, Version
from hotplate.plan.drift import can_be_compared, differences, drifted
from hotplate.resources.capabilities import LiveAttributes, TakesNames
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import (
    ObjectMissing,
    Resource,
    ResourceFailed,
    ResourceType,
    World,
)

_SECONDS: Final = 10.0
"""How long a request waits for a provider."""

_INDEX: Final = re.compile(r"\.\d+(?=\.|$)")
"""The number of an item in the path of a difference."""

_AT_A_TIME: Final = 20
"""Objects that one request reads side by side."""


def present_resource(
    world: RealWorld, stack: Stack, version: Version, resource_type: ResourceType
) -> Resource:
    """Return what a type gets of a managed object as it is now. Raises BadProperty."""
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


async def compared(
    resource_type: ResourceType, world: World, applied: Mapping[str, Any], live: Mapping[str, Any]
) -> list[Difference]:
    """Return where live values of properties are not those applied. Raises ResourceFailed.

    Where a property names an object of a cloud, its name and its id are the same.
    """
    found = differences(resource_type, applied, live)
    if not found or not isinstance(resource_type, TakesNames):
        return found
    named = resource_type.named_in(applied)
    return [
        each
        for each in found
        if (constraint := named.get(_INDEX.sub("[]", each.path))) is None
        or not await _is_same_object(resource_type, world, constraint, each)
    ]


async def _is_same_object(
    resource_type: TakesNames, world: World, constraint: str, difference: Difference
) -> bool:
    ids = []
    for value in (difference.applied, difference.live):
        try:
            ids.append(await resource_type.id_of(world, constraint, str(value)))
        except ObjectMissing:
            return False
        except Exception as error:  # whatever a type raises: nobody knows what the value names
            raise ResourceFailed(str(error), type(error).__name__) from error
    return ids[0] == ids[1]


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
        resource = present_resource(tools.world, stack, version, resource_type)
        async with asyncio.timeout(_SECONDS):
            live = await live_properties(resource_type, resource)
            found = await compared(resource_type, resource.world, resource.properties, live)
            return Observation(drifted=drifted(found, live))
    except TimeoutError:
        return Observation(fault=f"{version.physical_id} was not seen within {_SECONDS:.0f} s")
    except (ResourceFailed, ServiceMissing, UnknownType, BadProperty) as error:
        return Observation(fault=str(error), is_missing=isinstance(error, ObjectMissing))


@dataclass(frozen=True, slots=True)
class FreshAttributes:
    """Values of live attributes as the provider has them; with a ``note`` it could not be asked."""

    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


async def fresh_attributes(
    tools: Tools, stack: Stack, version: Version, asked: Collection[str] | None = None
) -> FreshAttributes:
    """Return those attributes of a version that change by themselves: all, or those asked for.

    Never called in a transaction: the provider is asked, for a bounded time.
    """
    if version.physical_id is None or version.action in (Action.INIT, Action.DELETE):
        return FreshAttributes()
    try:
        resource_type = resource_type_for(tools.catalogue, version.type_name)
    except UnknownType:
        return FreshAttributes()
    if not isinstance(resource_type, LiveAttributes):
        return FreshAttributes()
    names = resource_type.live_attributes
    names = names if asked is None else names.intersection(asked)
    if not names:
        return FreshAttributes()
    try:
        values = await _read_attributes(tools.world, stack, version, resource_type, names)
    except Exception as error:  # whatever a type raises, what was stored is shown
        words = f"{_SECONDS:.0f} s are over" if isinstance(error, TimeoutError) else str(error)
        note = f"{', '.join(sorted(names))} as last recorded, the provider does not tell: {words}"
        return FreshAttributes(note=note)
    return FreshAttributes({name: values[name] for name in names if name in values})


async def with_fresh_attributes(
    tools: Tools,
    stack: Stack,
    versions: Sequence[Version],
    asked: Mapping[str, Collection[Sequence[Any]]],
) -> tuple[list[Version], list[str]]:
    """Return versions with the live attributes that are asked of them, and what was not seen.

    ``asked`` are paths of attributes by resource; an empty one stands for all.
    """

    async def fresh(version: Version) -> FreshAttributes:
        paths = asked.get(version.name, ())
        names = None if any(not path for path in paths) else {str(path[0]) for path in paths}
        return await fresh_attributes(tools, stack, version, names)

    found = await asyncio.gather(*map(fresh, versions))
    renewed = [
        replace(version, attributes={**version.attributes, **each.values})
        if each.values
        else version
        for version, each in zip(versions, found, strict=True)
    ]
    notes = [
        f"{version.name}: {each.note}"
        for version, each in zip(versions, found, strict=True)
        if each.note
    ]
    return renewed, notes


async def _read_attributes(
    world: RealWorld,
    stack: Stack,
    version: Version,
    resource_type: LiveAttributes,
    names: Collection[str],
) -> Mapping[str, Any]:
    resource = (
        read_only_resource(world, stack, version, resource_type, version.physical_id or "")
        if version.is_external
        else present_resource(world, stack, version, resource_type)
    )
    async with asyncio.timeout(_SECONDS):
        return await resource_type.read_attributes(resource, names)
