"""A node reads what its object is like: a check notes differences, an update may undo them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from hotplate.engine import status_texts
from hotplate.engine.external_objects import live_properties
from hotplate.engine.live_values import compared
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.world import ServiceMissing
from hotplate.model import Difference, Version
from hotplate.plan.drift import LiveObject, can_be_compared, drifted
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.resource_type import ObjectMissing, Resource, ResourceFailed, ResourceType
from hotplate.secret import STARS, Secrets

_MOST: Final = 50
"""Differences that are kept of one object."""

_LONGEST: Final = 1000
"""Characters that are kept of a value."""


async def note_differences(
    version: Version, bound: Bound, resource_type: ResourceType, resource: Resource
) -> str:
    """Note on the version where its object is not what was applied; return the check's reason.

    Raises ObjectMissing. That nothing can be read for another reason does not fail the check.
    """
    version.differences = ()
    if not can_be_compared(resource_type):
        return status_texts.STATE_CHANGED
    try:
        live = await live_properties(resource_type, resource)
        found = await compared(resource_type, resource.world, resource.properties, live)
    except ObjectMissing:
        raise
    except (ResourceFailed, ServiceMissing) as error:
        return status_texts.not_compared(str(error))
    version.differences = _shown(found, secrets_of(bound) | version.definition.secrets())
    return status_texts.differs(found) if found else status_texts.STATE_CHANGED


async def read_live_object(
    resource_type: ResourceType, resource: Resource, wanted: Mapping[str, Any]
) -> LiveObject:
    """Return what an object is like, for an update that converges to these properties."""
    try:
        live = await live_properties(resource_type, resource)
        found = await compared(resource_type, resource.world, resource.properties, live)
        values = drifted(found, live)
        if values and isinstance(resource_type, TakesNames):
            left = await compared(resource_type, resource.world, wanted, values)
            other = drifted(left, values).keys()
            # What is wanted by now shall have been there before, in whatever spelling.
            values |= {
                name: wanted[name]
                for name in values
                if name not in other and wanted.get(name) is not None
            }
    except ObjectMissing:
        return LiveObject(is_gone=True)
    except (ResourceFailed, ServiceMissing) as error:
        return LiveObject(fault=status_texts.not_compared(str(error)))
    return LiveObject(values)


def _shown(found: Iterable[Difference], secrets: Secrets) -> tuple[Difference, ...]:
    """Return differences as they may be kept: without secrets, and not at any length."""
    return tuple(_shown_one(each, secrets) for each in list(found)[:_MOST])


def _shown_one(difference: Difference, secrets: Secrets) -> Difference:
    applied, live = secrets.masked(difference.applied), secrets.masked(difference.live)
    if applied != difference.applied:
        # Where a secret was applied, there may be another one now.
        applied = live = STARS
    return Difference(difference.path, _short(applied), _short(live))


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if len(text) > _LONGEST:
        return f"{text[:_LONGEST]}… ({len(text)} characters)"
    is_plain = isinstance(value, str | int | float | bool | list | Mapping) or value is None
    return json.loads(text) if is_plain and not isinstance(value, str) else text
