"""The life of one resource, the same for every type: made, found, changed, replaced, deleted.

A type's story says what it is made with and what is changed; what must hold at each step is here.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from hotplate.cloud import CloudError
from hotplate.model import Action
from hotplate.resources.capabilities import Adoptable, Findable, PreparesReplacement
from hotplate.resources.resource_type import (
    Creation,
    ObjectMissing,
    Resource,
    ResourceFailed,
    ResourceType,
)
from tests.recordings.stage import Stage


@dataclass(frozen=True)
class Life:
    """What a resource is made with, and what becomes of it."""

    type: ResourceType
    properties: Mapping[str, Any]
    changes: Sequence[Mapping[str, Any]] = ()
    """Updates, one after the other; None takes a value away. Together every updatable property."""

    replacing: Mapping[str, Any] = field(default_factory=dict)
    """A change that makes a new object."""

    unread: frozenset[str] = frozenset()
    """Properties that the service does not tell."""

    attributes: frozenset[str] = frozenset()
    """Attributes that must have a value."""

    identity: frozenset[str] = frozenset()
    """Properties that say which object it is: who changes them in the cloud has another one."""

    is_once: bool = False
    """What it is made from goes with it, so that there is no second one."""

    def converted(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return properties as the engine gives them to the type."""
        return self.type.convert({key: value for key, value in given.items() if value is not None})


async def live(stage: Stage, life: Life, name: str = "r") -> None:
    """Play a whole life."""
    if stage.player is not None:
        await stage.player(stage, life, name)
        return
    async with lived(stage, life, name) as resource:
        if life.replacing:
            other = replace(life, properties={**life.properties, **life.replacing}, changes=())
            async with lived(stage, replace(other, replacing={}), f"{name}2") as second:
                assert second.physical_id != resource.physical_id


@asynccontextmanager
async def lived(stage: Stage, life: Life, name: str = "r") -> AsyncIterator[Resource]:
    """Make a resource and change it as its life says; delete it after the block."""
    given = dict(life.properties)
    resource = stage.resource(life.converted(given), name)
    assert not await _found(life.type, resource), "an earlier play has left something behind"
    try:
        made = await stage.act(life.type, Action.CREATE, resource)
        assert made.attributes is not None
        missing = {each for each in life.attributes if made.attributes.get(each) is None}
        assert not missing, f"attributes without a value: {missing}"
        await _taken_over(stage, life, resource)
        await stage.act(life.type, Action.CHECK, resource)
        await _as_given(life, resource, given)
        for change in life.changes:
            given = {**given, **change}
            resource = await stage.update(life.type, resource, life.converted(given))
            await _as_given(life, resource, given, change)
            # A worker that died after the call makes it again.
            again = replace(resource, cookie=None)
            await stage.act(life.type, Action.UPDATE, again)
        resource = replace(resource, old_properties={})
        yield resource
    except BaseException:
        with suppress(CloudError, ResourceFailed, AssertionError):
            await stage.act(life.type, Action.DELETE, resource)
        raise
    await _ended(stage, life, resource)


async def prepared(stage: Stage, kind: PreparesReplacement, resource: Resource) -> None:
    """Let an old object give up what its replacement needs; twice, as after a crash."""
    for _ in range(2):
        await stage.call(resource, lambda: kind.prepare_replacement(resource, resource.properties))


async def restored(stage: Stage, kind: PreparesReplacement, resource: Resource) -> None:
    """Bring an object back that was prepared; twice, as after a crash."""
    await stage.call(resource, lambda: kind.restore(resource))
    is_id = resource.physical_id
    await stage.call(resource, lambda: kind.restore(resource))
    assert resource.physical_id == is_id


async def gives_way(stage: Stage, life: Life, resource: Resource, name: str = "second") -> None:
    """See that a resource gives way to another with the same properties, and comes back."""
    kind, given = life.type, resource.properties
    assert isinstance(kind, PreparesReplacement)
    assert kind.gives_up(given, given)
    await prepared(stage, kind, resource)
    async with lived(stage, replace(life, changes=(), replacing={}), name):
        pass
    await restored(stage, kind, resource)
    await stage.act(kind, Action.CHECK, resource)


def covered(life: Life) -> Iterable[str]:
    """Return the updatable properties that no change of a life changes."""
    changed = {key for change in life.changes for key in change}
    return sorted(
        name
        for name, declared in life.type.properties.items()
        if declared.updatable and not declared.hidden and name not in changed
    )


async def _taken_over(stage: Stage, life: Life, resource: Resource) -> None:
    """See that a worker finds what another had made that died before it could say so."""
    if not isinstance(life.type, Findable):
        assert life.type.creation is Creation.REPEATABLE
        return
    physical_id = resource.physical_id
    unknown = replace(resource, physical_id=None, cookie=None, data={})
    assert await life.type.find(unknown) == physical_id
    found = replace(resource, cookie=None)
    await stage.act(life.type, Action.CREATE, found)
    assert found.physical_id == physical_id


async def _as_given(
    life: Life, resource: Resource, given: Mapping[str, Any], only: Iterable[str] | None = None
) -> None:
    """See that the service tells what the template gave."""
    assert isinstance(life.type, Adoptable)
    told = await life.type.live_properties(resource)
    wanted = life.converted(given)
    for key in given if only is None else only:
        if key in life.unread or given[key] is None or wanted[key] is None:
            continue
        assert key in told, f"{key} is not told"
        assert told[key] == wanted[key], f"{key}: {told[key]!r} instead of {wanted[key]!r}"


async def _ended(stage: Stage, life: Life, resource: Resource) -> None:
    gone = replace(resource, cookie=None)
    await stage.act(life.type, Action.DELETE, gone)
    with pytest.raises(ObjectMissing):
        await stage.act(life.type, Action.CHECK, replace(resource, cookie=None))
    # A worker that died after the call makes it again.
    await stage.act(life.type, Action.DELETE, replace(resource, cookie=None))
    assert not await _found(life.type, resource)


async def _found(resource_type: ResourceType, resource: Resource) -> str | None:
    if not isinstance(resource_type, Findable):
        return None
    return await resource_type.find(replace(resource, physical_id=None, cookie=None))
