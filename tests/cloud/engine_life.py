"""The life of one resource, as a stack: what `tests.recordings.life` has, through the engine."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from hotplate.cloud import SERVICE, Cloud
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, HttpWire
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Status, Version
from hotplate.resources.openstack.cloud_type import CloudType
from hotplate.resources.openstack.setting import Setting
from hotplate.resources.resource_type import ObjectMissing, Resource
from tests.recordings.life import Life
from tests.recordings.stage import Stage

_POLL: Final = 0.2


class HangingWire(HttpWire):
    """Carries requests; the answer to the first one that makes something never comes."""

    def __init__(self, settings: CloudSettings, makes: Callable[[str, str], bool]) -> None:
        super().__init__(settings)
        self._makes = makes
        self.is_hanging = asyncio.Event()

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        answer = await super().send(method, url, headers, body, seconds)
        if self._makes(method, url):
            self.is_hanging.set()
            await asyncio.Event().wait()
        return answer


class CountingWire(HttpWire):
    """Carries requests and counts those that make something."""

    def __init__(self, settings: CloudSettings, makes: Callable[[str, str], bool]) -> None:
        super().__init__(settings)
        self._makes = makes
        self.made = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        self.made += self._makes(method, url)
        return await super().send(method, url, headers, body, seconds)


class OneResource:
    """A stack with one resource."""

    def __init__(self, engine: Embedded, stage: Stage, life: Life, name: str) -> None:
        self._engine = engine
        self._stage = stage
        self.life = life
        self._name = name
        self.id = ""

    async def create(self, given: Mapping[str, Any], **more: Any) -> Version:
        """Create the stack; ``more`` stands beside the properties."""
        recipe = self._recipe(given, more)
        self.id = await self._engine.operations.create("demo", self._name, recipe)
        return await self.ended()

    async def update(
        self, given: Mapping[str, Any], *, converges: bool = False, **more: Any
    ) -> Version:
        """Update the stack."""
        options = Options(converges=converges)
        await self._engine.operations.update(self.id, self._recipe(given, more), options)
        return await self.ended()

    async def differing(self) -> set[str]:
        """Check the stack; return which properties differ in the object."""
        await self._engine.operations.visit(self.id, Action.CHECK)
        await self.ended()
        stack = await self._engine.operations.stack(self.id)
        found = await self._engine.operations.differing(stack)
        paths = [each.path for one in found for each in one.differences]
        return {path.split(".")[0].split("[")[0] for path in paths}

    async def is_as_given(self) -> None:
        """See that the service tells of the object what the template says."""
        differing = await self.differing() - self.life.unread
        assert not differing, f"told otherwise: {differing}"

    async def delete(self) -> None:
        """Delete the stack."""
        await self._engine.operations.delete(self.id)
        await self._over()

    @asynccontextmanager
    async def removed(self) -> AsyncIterator[None]:
        """Leave nothing behind, also if something in the block fails."""
        try:
            yield
        except BaseException:
            with suppress(Exception):
                await self.delete()
            raise

    async def ended(self) -> Version:
        """Wait until it is complete; return the version of the resource."""
        await self._over()
        return (await self._engine.operations.resources(self.id))["r"]

    async def _over(self) -> None:
        while True:
            stack = await self._engine.operations.stack(self.id)
            if stack.status is not Status.IN_PROGRESS:
                break
            await asyncio.sleep(_POLL)
        assert stack.status is Status.COMPLETE, stack.reason

    def _recipe(self, given: Mapping[str, Any], more: Mapping[str, Any]) -> Recipe:
        properties = {key: value for key, value in given.items() if value is not None}
        resource = {"type": self.life.type.name, **more}
        if "external_id" not in more:
            resource["properties"] = properties
        document = {"heat_template_version": "2021-04-16", "resources": {"r": resource}}
        return Recipe(json.dumps(document))


class EngineLife:
    """Plays lives through an engine with a database of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._played = 0

    async def play(self, stage: Stage, life: Life, name: str) -> None:
        """Play a life; the first one of a story in full length."""
        assert isinstance(life.type, CloudType)
        self._played += 1
        database = self._folder / f"{self._played}.db"
        is_first = self._played == 1
        async with engine_on(database, stage.cloud) as engine:
            stack = OneResource(engine, stage, life, f"{stage.story}-{self._played}")
            other = OneResource(engine, stage, life, f"{stage.story}-other")
            async with stack.removed(), other.removed():
                await self._whole_life(stage, stack, life, is_full=is_first)
                if is_first and _is_handed_over(life):
                    await self._handed_over(stage, stack, other, life)
        if is_first and not isinstance(life.type, Setting) and not life.is_once:
            await self._killed(stage, life)

    async def _whole_life(
        self, stage: Stage, stack: OneResource, life: Life, *, is_full: bool
    ) -> None:
        given = dict(life.properties)
        version = await stack.create(given)
        seen = [version]
        has_drifted = False
        for change in life.changes if is_full else ():
            before, given = given, {**given, **change}
            changed = await stack.update(given)
            assert changed.physical_id == version.physical_id or life.identity & change.keys()
            version = changed
            has_drifted = has_drifted or await self._drifts(stage, stack, version, before, given)
        await stack.is_as_given()
        if is_full and _is_replaced(life):
            given = {**life.properties, **life.replacing}
            replaced = await stack.update(given)
            assert replaced.physical_id != version.physical_id
            seen.append(replaced)
        await stack.delete()
        for each in seen:
            await assert_gone(stage, life, each)

    async def _drifts(
        self,
        stage: Stage,
        stack: OneResource,
        version: Version,
        before: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> bool:
        """See that what somebody changes in the cloud is told and brought back.

        Returns whether there is something that can be changed so.
        """
        life = stack.life
        for key, value in _told_otherwise(life, before, given):
            await _change_behind(stage, life, version, given, {**given, key: value})
            assert key in await stack.differing()
            await stack.update(given, converges=True)
            await stack.is_as_given()
            return True
        return False

    async def _handed_over(
        self, stage: Stage, stack: OneResource, other: OneResource, life: Life
    ) -> None:
        """See that an object which one stack leaves is another's, at first as external."""
        kept = await stack.create(life.properties, deletion_policy="Retain")
        await stack.delete()
        object_id = kept.physical_id
        taken = await other.create(life.properties, external_id=object_id)
        assert taken.physical_id == object_id
        managed = await other.update(life.properties)
        assert managed.physical_id == object_id
        await other.delete()
        await assert_gone(stage, life, kept)

    async def _killed(self, stage: Stage, life: Life) -> None:
        """See that who goes on after a kill finds what the call has made, and makes no second."""
        settings, database = stage.cloud.settings, self._folder / "killed.db"
        wire = HangingWire(settings, _makes(life))
        async with Cloud(settings, wire) as cloud, engine_on(database, cloud) as engine:
            stack = OneResource(engine, stage, life, f"{stage.story}-killed")
            creating = asyncio.create_task(stack.create(life.properties))
            hanging = asyncio.create_task(wire.is_hanging.wait())
            await asyncio.wait((creating, hanging), return_when=asyncio.FIRST_COMPLETED)
            if creating.done():
                creating.result()
            creating.cancel()
        counting = CountingWire(settings, _makes(life))
        async with Cloud(settings, counting) as cloud, engine_on(database, cloud) as engine:
            again = OneResource(engine, stage, life, stack.id)
            again.id = stack.id
            version = await again.ended()
            assert version.physical_id is not None
            assert counting.made == 0, "it was made twice"
            await again.delete()
        await assert_gone(stage, life, version)


@asynccontextmanager
async def engine_on(database: Path, cloud: Cloud) -> AsyncIterator[Embedded]:
    """Run an engine that works with a cloud."""
    async with embedded(database, {SERVICE: cloud}) as engine:
        yield engine


async def assert_gone(stage: Stage, life: Life, version: Version) -> None:
    """See that neither the object nor a listing of its collection shows it."""
    assert isinstance(life.type, CloudType)
    with pytest.raises(ObjectMissing):
        await stage.act(life.type, Action.CHECK, _resource(stage, life, version))
    collection = life.type.collection
    if isinstance(life.type, Setting) or collection.path.startswith("/os-volume_att"):
        return
    service = stage.cloud.service(collection.service)
    key = collection.list_key or f"{collection.key}s"
    try:
        listed = await service.list_all(collection.list_path or collection.path, key)
    except Exception:  # what is below another object has no list of its own
        return
    assert version.physical_id not in [str(each.get("id")) for each in listed]


async def _change_behind(
    stage: Stage, life: Life, version: Version, now: Mapping[str, Any], then: Mapping[str, Any]
) -> None:
    """Change the object as anybody may who has the service's API."""
    resource = replace(_resource(stage, life, version), properties=life.converted(now))
    await stage.update(life.type, resource, life.converted(then))


def _resource(stage: Stage, life: Life, version: Version) -> Resource:
    found = stage.resource(life.converted(life.properties))
    data = {key: value for key, value in version.data.items() if key != "cloud"}
    return replace(found, physical_id=version.physical_id, creation_token=version.uuid, data=data)


def _told_otherwise(
    life: Life, before: Mapping[str, Any], given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the properties that the service tells and that an update changed, as they were."""
    for key, value in before.items():
        is_other = None not in (value, given[key]) and value != given[key]
        is_possible = key not in life.unread | life.identity | {"size"}  # nothing shrinks
        if is_other and is_possible and life.type.properties[key].updatable:
            yield key, value


def _is_handed_over(life: Life) -> bool:
    """Tell whether an object can be found by its id alone, so that another stack can name it."""
    assert isinstance(life.type, CloudType)
    return not (isinstance(life.type, Setting) or life.type.located_by or life.is_once)


def _is_replaced(life: Life) -> bool:
    """Tell whether what a life calls replacing is so in an update; the service may refuse it."""
    kind = life.type
    new = {**life.properties, **life.replacing}
    return any(not kind.properties[key].updatable for key in life.replacing) or bool(
        life.replacing
        and kind.replacement_reason(life.converted(life.properties), life.converted(new))
    )


def _makes(life: Life) -> Callable[[str, str], bool]:
    """Return what tells whether a request makes the object of a life."""
    assert isinstance(life.type, CloudType)
    path = life.type.collection.path

    def makes(method: str, url: str) -> bool:
        return method == "POST" and url.split("?", maxsplit=1)[0].endswith(path)

    return makes
