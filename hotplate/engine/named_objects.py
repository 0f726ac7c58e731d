"""What names and ids of objects mean, asked of those who know, and what is decided by it."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.engine.world import RealWorld
from hotplate.model import Version
from hotplate.plan.spelling import NamedObject, NamedObjects, NamedValue
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.resource_type import ObjectMissing

_SECONDS: Final = 10.0
"""For which a preview waits for one answer."""


async def look_up(
    resource_type: TakesNames, world: RealWorld, values: Collection[NamedValue]
) -> dict[NamedValue, NamedObject]:
    """Return what values name, all asked at the same time. Raises what the type raises."""
    asked = sorted(values, key=lambda each: (each.constraint, each.value))
    found = await asyncio.gather(*(_look_up(resource_type, world, each) for each in asked))
    return dict(zip(asked, found, strict=True))


async def look_up_soon(
    resource_type: TakesNames, world: RealWorld, values: Collection[NamedValue]
) -> dict[NamedValue, NamedObject]:
    """Return what values name; of those that nobody tells in time, nothing is known."""

    async def soon(value: NamedValue) -> NamedObject:
        try:
            async with asyncio.timeout(_SECONDS):
                return await _look_up(resource_type, world, value)
        except Exception:  # whatever a type raises: a preview goes on without it
            return NamedObject()

    asked = list(values)
    return dict(zip(asked, await asyncio.gather(*map(soon, asked)), strict=True))


async def _look_up(resource_type: TakesNames, world: RealWorld, named: NamedValue) -> NamedObject:
    try:
        return NamedObject(await resource_type.id_of(world, named.constraint, named.value))
    except ObjectMissing as error:
        return NamedObject(fault=str(error))


def spelled_anew(
    version: Version, resource_type: TakesNames, spelled: Mapping[str, Any]
) -> Version:
    """Return a version to which properties were applied in another spelling. Pure."""
    properties = {**resource_type.convert(version.definition.properties), **spelled}
    given = {name: value for name, value in properties.items() if value is not None}
    return replace(version, definition=replace(version.definition, properties=given))


def first_fault(values: Collection[NamedValue], objects: NamedObjects) -> str:
    """Return why one of the values names no object; empty if all do, or that is unknown."""
    named = sorted(values, key=lambda each: (each.constraint, each.value))
    return next((objects[each].fault for each in named if objects[each].fault), "")
