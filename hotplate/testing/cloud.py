"""A provider that keeps objects, loses answers, fails on demand and shows new objects late."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hotplate.resources.lease import hold
from hotplate.testing.loop import SimulatedLoop
from hotplate.testing.process import SimulatedProcess

QUEUED = "before a call"
"""The gate at which calls wait in their process; see `Behaviour.queued`."""


class CloudError(Exception):
    """The provider, or the way to it, says no."""


class NoSuchObject(CloudError):
    """The provider has no object of this id."""


class Fault(Enum):
    """What may go wrong with a call."""

    REFUSED = "refused"
    """Nothing was done, and the answer says so."""

    LOST_REPLY = "lost reply"
    """It was done, but the answer is an error."""

    BREAKS = "breaks"
    """The object is made or changed, and turns out to be broken a little later."""


@dataclass(slots=True)
class CloudObject:
    """One object. ``value`` is what the caller last asked for and got."""

    id: str
    creation_token: str
    name: str
    value: Any
    seen_from: float
    ready_at: float
    is_broken: bool = False
    is_going: bool = False
    is_suspended: bool = False
    key: str = ""
    """What only one object can have; empty if it has none, or has given it up."""

    own_key: str = ""
    """The key that it was made with."""

    work: str = ""
    """The verb of the work that goes on with it until it ends or is stopped; empty if none does."""


@dataclass(slots=True)
class Call:
    """One call that arrived at the provider, in the order of arrival."""

    at: float
    verb: str
    name: str
    creation_token: str
    object_id: str | None
    process: str
    fault: Fault | None = None
    once: bool = False
    """The provider makes no second object with the same creation token."""


@dataclass(slots=True)
class Behaviour:
    """How the cloud behaves. Functions get the verb and the name of the resource."""

    latency: Callable[[str, str], float] = lambda verb, name: 0.01
    fault: Callable[[str, str], Fault | None] = lambda verb, name: None
    building: Callable[[str, str], float] = lambda verb, name: 0.0
    """Seconds until an object is ready after a call."""

    unseen: Callable[[], float] = lambda: 0.0
    """Seconds until a new object shows up in listings."""

    queued: Callable[[], bool] = lambda: False
    """Whether a call waits for a thread or a connection in its process before it is sent."""

    goes_on: Callable[[str, str], bool] = lambda verb, name: False
    """Whether work that was begun elsewhere goes on until it is ended or stopped."""

    held: set[tuple[str, str]] = field(default_factory=set)
    """Names and verbs that do not get ready until they are taken out of this set."""


class SimulatedCloud:
    """All objects, and every call that was made. Survives the crashes of its callers."""

    POLL = 1.0
    """Seconds between two looks at an object that is not ready."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self.loop = loop
        self.behaviour = Behaviour()
        self.objects: dict[str, CloudObject] = {}
        self.calls: list[Call] = []
        self.in_flight: dict[str, Call] = {}
        self.watch: Callable[[Call], None] = lambda call: None
        self._count = 0

    def named(self, name: str) -> list[CloudObject]:
        """Return the objects of a resource that exist."""
        return [item for item in self.objects.values() if item.name == name]

    def count(self, verb: str, name: str | None = None) -> int:
        """Return how many calls of a verb there were."""
        return sum(c.verb == verb and name in (None, c.name) for c in self.calls)

    def hold(self, name: str, verb: str) -> None:
        """Keep a resource from getting ready after the next call of this verb."""
        self.behaviour.held.add((name, verb))

    def let_go(self, name: str, verb: str) -> None:
        """Let what was held get ready."""
        self.behaviour.held.discard((name, verb))

    @property
    def at_work(self) -> list[CloudObject]:
        """The objects with which work goes on elsewhere."""
        return [item for item in self.objects.values() if item.work]

    def make(self, creation_token: str, name: str, value: Any, key: str = "") -> CloudObject:
        """Add an object. Raises CloudError if another one has the key."""
        self.refuse_taken(key)
        self._count += 1
        now = self.loop.time()
        made = CloudObject(
            f"object-{self._count}", creation_token, name, value, now + self.behaviour.unseen(), now
        )
        made.key = made.own_key = key
        self.objects[made.id] = made
        return made

    def refuse_taken(self, key: str, object_id: str = "") -> None:
        """Raise CloudError if a key belongs to another object."""
        for other in self.objects.values():
            if key and other.key == key and other.id != object_id:
                raise CloudError(f"the key {key} is in use by {other.id}")

    def is_ready(self, item: CloudObject, verb: str) -> bool:
        """Tell whether an object has done what it was last asked for."""
        return self.loop.time() >= item.ready_at and (item.name, verb) not in self.behaviour.held


class CloudConnection:
    """The cloud as one process sees it."""

    def __init__(self, cloud: SimulatedCloud, process: SimulatedProcess) -> None:
        self._cloud = cloud
        self._process = process

    async def create(
        self, creation_token: str, name: str, value: Any, once: bool, key: str = ""
    ) -> CloudObject:
        """Make an object; ``once``: at most one with this creation token."""

        def effect() -> CloudObject:
            cloud = self._cloud
            known = [
                o
                for o in cloud.objects.values()
                if o.creation_token == creation_token and not o.is_going
            ]
            if once and known:
                return known[0]
            return cloud.make(creation_token, name, value, key)

        return await self._call("create", name, creation_token, None, effect, once)

    async def start(
        self, verb: str, creation_token: str, name: str, change: Callable[[CloudObject], None]
    ) -> CloudObject:
        """Begin work elsewhere on the object with a creation token; a creation makes at most one.

        The same work is begun once, however often it is asked for.
        """

        def effect() -> CloudObject:
            cloud = self._cloud
            known = [o for o in cloud.objects.values() if o.creation_token == creation_token]
            if not known and verb != "create":
                raise CloudError(f"there is no object {creation_token}")
            is_new = not known
            item = cloud.make(creation_token, name, None) if is_new else known[0]
            change(item)
            if (is_new or verb != "create") and cloud.behaviour.goes_on(verb, name):
                item.work = verb
            return item

        return await self._call(verb, name, creation_token, None, effect, once=True)

    async def stop(self, creation_token: str, name: str) -> CloudObject | None:
        """Stop the work on the object with a creation token; None if there is no object."""

        def effect() -> CloudObject | None:
            known = [o for o in self._cloud.objects.values() if o.creation_token == creation_token]
            for item in known:
                item.work = ""
            return known[0] if known else None

        return await self._call("stop", name, creation_token, None, effect)

    async def update(self, object_id: str, name: str, value: Any) -> CloudObject:
        """Change an object's value."""

        def effect() -> CloudObject:
            item = self._existing(object_id)
            item.value = value
            return item

        return await self._call("update", name, self._creation_token(object_id), object_id, effect)

    async def release(self, object_id: str, name: str) -> CloudObject:
        """Take the key from an object."""

        def effect() -> CloudObject:
            item = self._existing(object_id)
            item.key = ""
            return item

        return await self._call("release", name, self._creation_token(object_id), object_id, effect)

    async def attach(self, object_id: str, name: str) -> CloudObject:
        """Give an object its key back. Raises CloudError if another one has it."""

        def effect() -> CloudObject:
            item = self._existing(object_id)
            self._cloud.refuse_taken(item.own_key, item.id)
            item.key = item.own_key
            return item

        return await self._call("attach", name, self._creation_token(object_id), object_id, effect)

    async def delete(self, object_id: str, name: str, verb: str = "delete") -> CloudObject | None:
        """Ask for the deletion of an object; None if it is deleted already."""

        def effect() -> CloudObject | None:
            item = self._cloud.objects.get(object_id)
            if item is not None:
                item.is_going = True
            return item

        return await self._call(verb, name, self._creation_token(object_id), object_id, effect)

    async def adopt(self, object_id: str, name: str, creation_token: str) -> CloudObject:
        """Put another creation token on an object."""

        def effect() -> CloudObject:
            item = self._existing(object_id)
            item.creation_token, item.name = creation_token, name
            return item

        return await self._call("adopt", name, self._creation_token(object_id), object_id, effect)

    async def switch(self, object_id: str, name: str, verb: str, suspended: bool) -> CloudObject:
        """Suspend or resume an object."""

        def effect() -> CloudObject:
            item = self._existing(object_id)
            item.is_suspended = suspended
            return item

        return await self._call(verb, name, self._creation_token(object_id), object_id, effect)

    async def find(self, creation_token: str, name: str) -> str | None:
        """Return the object with this creation token, if listings show it yet."""
        now = self._cloud.loop.time()

        def effect() -> str | None:
            for item in self._cloud.objects.values():
                if item.creation_token == creation_token and item.seen_from <= now:
                    return item.id
            return None

        return await self._call("find", name, creation_token, None, effect)

    async def read(self, object_id: str, name: str) -> CloudObject:
        """Return an object. Raises NoSuchObject."""
        return await self._call("read", name, "", object_id, lambda: self._existing(object_id))

    def _existing(self, object_id: str) -> CloudObject:
        if object_id not in self._cloud.objects:
            raise NoSuchObject(f"there is no object {object_id}")
        return self._cloud.objects[object_id]

    def _creation_token(self, object_id: str) -> str:
        item = self._cloud.objects.get(object_id)
        return item.creation_token if item is not None else ""

    async def _call(
        self,
        verb: str,
        name: str,
        creation_token: str,
        object_id: str | None,
        effect: Callable[[], Any],
        once: bool = False,
    ) -> Any:
        """Send a request; the cloud carries it out whatever becomes of the caller meanwhile."""
        cloud = self._cloud
        if cloud.behaviour.queued():
            await self._process.gate(QUEUED)
        await hold()
        fault = cloud.behaviour.fault(verb, name)
        call = Call(
            cloud.loop.time(),
            verb,
            name,
            creation_token,
            object_id,
            self._process.name,
            fault,
            once,
        )
        cloud.calls.append(call)
        cloud.watch(call)
        is_change = verb not in ("find", "read") and bool(creation_token)
        if is_change:
            cloud.in_flight[creation_token] = call
        reply: asyncio.Future[Any] = cloud.loop.create_future()

        def carry_out() -> None:
            if cloud.in_flight.get(creation_token) is call:
                del cloud.in_flight[creation_token]
            try:
                answer = None if fault is Fault.REFUSED else effect()
            except CloudError as error:
                if not reply.cancelled():
                    reply.set_exception(error)
                return
            if isinstance(answer, CloudObject) and is_change:
                answer.ready_at = cloud.loop.time() + cloud.behaviour.building(verb, name)
                answer.is_broken = answer.is_broken or fault is Fault.BREAKS
            if not reply.cancelled():
                reply.set_result(answer)

        cloud.loop.call_later(cloud.behaviour.latency(verb, name), carry_out)
        try:
            answer = await reply
        except CloudError:
            await self._process.gate("after a call")
            raise
        await self._process.gate("after a call")
        if fault in (Fault.REFUSED, Fault.LOST_REPLY):
            raise CloudError(f"the {verb} of {name} failed")
        return answer

    def is_ready(self, item: CloudObject, verb: str) -> bool:
        """Tell whether an object has done what it was last asked for."""
        return self._cloud.is_ready(item, verb)

    def forget(self, item: CloudObject) -> None:
        """Drop an object whose deletion has come to its end."""
        self._cloud.objects.pop(item.id, None)

    def forget_created_with(self, creation_token: str) -> None:
        """Drop the object with a creation token, whose deletion has come to its end."""
        for item in [o for o in self._cloud.objects.values() if o.creation_token == creation_token]:
            self.forget(item)
