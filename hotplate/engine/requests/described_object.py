"""An object that exists already, described as a template would describe it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hotplate.document import same
from hotplate.engine.context import Tools
from hotplate.engine.external_objects import live_properties, read_object, unfit
from hotplate.engine.refusals import Entity, NotFound, NotSupported, Refused
from hotplate.engine.world import ServiceMissing
from hotplate.plan.drift import can_be_compared
from hotplate.resources.property import BadProperty, Property
from hotplate.resources.resource_type import ObjectMissing, Resource, ResourceFailed, ResourceType

_SECONDS: Final = 10.0
"""How long a request waits for a provider."""


@dataclass(frozen=True, slots=True)
class DescribedObject:
    """What a template says of an object.

    ``properties`` are those that differ from their defaults; ``unread`` are the properties of which
    the provider says nothing, and among them ``required`` those without which it cannot be managed.
    """

    id: str
    properties: Mapping[str, Any]
    unread: tuple[str, ...]
    required: tuple[str, ...]


async def describe_object(
    tools: Tools, project: str, resource_type: ResourceType, object_id: str
) -> DescribedObject:
    """Read an object and return how a template describes it. Raises NotFound or Refused."""
    what = f"Importing objects of the type {resource_type.name}"
    if fault := unfit(resource_type, tools.allows_unverified):
        raise NotSupported(what, fault)
    if not can_be_compared(resource_type):
        raise NotSupported(what, "the type cannot tell what its objects are like")
    resource = Resource(
        stack_name="",
        stack_id="",
        project=project,
        name="",
        creation_token="",
        physical_id=object_id,
        properties={name: declared.default for name, declared in resource_type.properties.items()},
        data={},
        world=tools.world,
        is_external=True,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            await read_object(resource_type, resource, tools.allows_unverified)
            live = await live_properties(resource_type, resource)
    except ObjectMissing as error:
        raise NotFound(Entity.OBJECT, object_id) from error
    except TimeoutError:
        raise Refused(f"{object_id} was not seen within {_SECONDS:.0f} s.", "try again") from None
    except (ResourceFailed, ServiceMissing) as error:
        raise Refused(f"{object_id} cannot be read: {error}") from error
    if all(value is None for value in live.values()):
        raise NotSupported(what, "the type cannot tell what its objects are like")
    return _described(resource_type, object_id, live)


def _described(
    resource_type: ResourceType, object_id: str, live: Mapping[str, Any]
) -> DescribedObject:
    shown = {
        name: declared
        for name, declared in resource_type.properties.items()
        if declared.implemented and not declared.hidden
    }
    values = {name: _fitting(declared, live.get(name)) for name, declared in shown.items()}
    unread = tuple(
        name for name in shown if name not in live or (values[name] is None and live[name])
    )
    return DescribedObject(
        object_id,
        {
            name: value
            for name, value in values.items()
            if value is not None and not same(value, shown[name].default)
        },
        unread,
        tuple(name for name in unread if shown[name].required),
    )


def _fitting(declared: Property, value: Any) -> Any:
    """Return a value as a template may give it, None if it may not."""
    try:
        return None if value is None else _without_nulls(declared.convert(value))
    except BadProperty:
        return None


def _without_nulls(value: Any) -> Any:
    """Return a value without what nobody has given."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
