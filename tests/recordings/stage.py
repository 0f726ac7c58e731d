"""Where a story is played: the same for the real cloud and for a recording of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import Any, Final
from uuid import UUID, uuid5

from hotplate.cloud import SERVICE, Cloud, load_settings
from hotplate.cloud.calling import Clock
from hotplate.cloud.names import Names
from hotplate.model import Action
from hotplate.resources.acting import act
from hotplate.resources.resource_type import Done, Gone, Resource, ResourceType, Result
from tests.cloud.box.places import credentials
from tests.recordings.recording import Exchange, load
from tests.recordings.wires import PlayingWire, RecordingWire

_NAMESPACE: Final = UUID("5b0f6c1e-6f1d-4d0e-9d0b-3f6f0d6c8f10")
_PROJECT: Final = "demo"
_MOST_POLLS: Final = 300


@dataclass
class Stage:
    """What a story has at hand. Everything that it makes up is the same in every play."""

    story: str
    cloud: Cloud
    random: Random = field(default_factory=lambda: Random(0))
    player: "Player | None" = None
    """Who plays the lives in a story, if they are not played by calling the types."""

    def now(self) -> float:
        """The time, as types ask their world for it."""
        return self.cloud.clock.now()

    def service(self, name: str) -> Any:
        """A service, as types ask their world for it."""
        if name != SERVICE:
            raise LookupError(name)
        return self.cloud

    def resource(self, properties: Mapping[str, Any], name: str = "r") -> Resource:
        """Return a resource of which nothing has been made yet."""
        token = str(uuid5(_NAMESPACE, f"{self.story}/{name}"))
        return Resource(self.story, token, _PROJECT, name, token, None, properties, {}, self)

    async def act(self, kind: ResourceType, action: Action, resource: Resource) -> Done:
        """Let a type act until it is done, as the engine does; the resource has what came of it."""
        return await self.call(resource, lambda: act(kind, action, resource))

    async def call(self, resource: Resource, ask: Callable[[], Awaitable[Result | Gone]]) -> Done:
        """Ask a type until it is done; the resource has what came of it."""
        for _ in range(_MOST_POLLS):
            result = await ask()
            if isinstance(result, Gone):
                resource.physical_id = None
                result = Done(data=result.data)
            if result.physical_id is not None:
                resource.physical_id = result.physical_id
            if result.data is not None:
                resource.data = result.data
            if isinstance(result, Done):
                resource.cookie = None
                return result
            if result.is_gone:
                resource.physical_id = None
            resource.cookie = result.cookie
            await self.cloud.clock.sleep(result.seconds or 0)
        raise AssertionError(f"what is done to {resource.name} does not end")

    async def update(
        self, kind: ResourceType, resource: Resource, properties: Mapping[str, Any]
    ) -> Resource:
        """Change a resource in place; return it with the new properties."""
        changed = replace(
            resource, properties=properties, old_properties=resource.properties, cookie=None
        )
        await self.act(kind, Action.UPDATE, changed)
        return changed


Story = Callable[[Stage], Awaitable[None]]
Player = Callable[[Stage, Any, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A story, and who plays it."""

    story: Story
    user: str = "demo"


async def record(name: str, story: Story, user: str = "demo") -> list[Exchange]:
    """Play a story on the test cloud and return what was asked and answered."""
    settings = load_settings(credentials(user))
    wire = RecordingWire(settings)
    async with Cloud(settings, wire, Clock(time.time)) as cloud:
        _remember_names(cloud)
        await story(Stage(name, cloud))
    return wire.exchanges


async def play(name: str, story: Story, user: str = "demo") -> None:
    """Play a story against its recording. Raises DoesNotFit."""
    wire = PlayingWire(load(name))
    now = [1_800_000_000.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds
        await asyncio.sleep(0)

    clock = Clock(lambda: now[0], sleep, Random(0))
    cloud = Cloud(load_settings(credentials(user)), wire, clock)
    _remember_names(cloud)
    await story(Stage(name, cloud))
    wire.finish()


def _remember_names(cloud: Cloud) -> None:
    """Look up every name once: how long a story takes must not change what it asks."""
    cloud.names = Names(cloud.service, cloud.clock, lifetime=inf)
