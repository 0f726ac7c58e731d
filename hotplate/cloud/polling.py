"""Polling: all who wait for objects of one collection share its listings."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from hotplate.cloud.calling import Clock
from hotplate.cloud.errors import NotFound
from hotplate.cloud.gathering import Gathering
from hotplate.cloud.pace import Pace
from hotplate.cloud.service import Parameters, Service

_FRESH: Final = 0.4
"""Seconds for which what was seen serves others, who woke up a little later."""

_TOGETHER: Final = 0.5
"""Seconds within which polls that are due count as being so at the same moment."""

_SKEW: Final = 60.0
"""Seconds by which the clock of a service may be behind ours."""

_MOST_IDS: Final = 60
"""So many ids fit into an address."""

Object = Mapping[str, Any]
Narrow = Callable[[Sequence[str], float], list[Parameters]]
"""Makes the queries that list some objects: their ids, and since when they have been changing."""


def by_id(field_name: str = "id") -> Narrow:
    """List by ids, as Neutron and Octavia can: ``?id=a&id=b``."""

    def narrow(ids: Sequence[str], since: float) -> list[Parameters]:
        starts = range(0, len(ids), _MOST_IDS)
        return [{field_name: list(ids[start : start + _MOST_IDS])} for start in starts]

    return narrow


def in_ids(ids: Sequence[str], since: float) -> list[Parameters]:
    """List by ids, as Glance can: ``?id=in:a,b``."""
    starts = range(0, len(ids), _MOST_IDS)
    return [{"id": "in:" + ",".join(ids[start : start + _MOST_IDS])} for start in starts]


def changes_since(ids: Sequence[str], since: float) -> list[Parameters]:
    """List what has changed since, as Nova can; what was deleted shows too."""
    then = datetime.fromtimestamp(since - _SKEW, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [{"changes-since": then}]


def whole(ids: Sequence[str], since: float) -> list[Parameters]:
    """List everything, where the service cannot do better."""
    return [()]


@dataclass(frozen=True, slots=True)
class Collection:
    """Objects of one kind, and how several of them are listed with one call."""

    service: str
    path: str
    """Of one object, without its id: "/servers"."""

    key: str
    """The name of one object in its answer: "server"; empty if the answer is the object."""

    list_path: str = ""
    """Of the listing with all that is of interest: "/servers/detail"; else ``path``."""

    list_key: str = ""
    """The name of the list in its answer: "servers"; else the key with an s."""

    narrow: Narrow = field(default=by_id())
    microversion: str = ""


SERVERS: Final = Collection(
    "compute", "/servers", "server", "/servers/detail", narrow=changes_since
)
VOLUMES: Final = Collection("block-storage", "/volumes", "volume", "/volumes/detail", narrow=whole)


@dataclass(slots=True)
class _Asked:
    """What is known of an object that is polled: since when it changes, and whether we made it."""

    began: float
    is_own: bool


@dataclass(frozen=True, slots=True)
class _Listing:
    """A listing under way that shows all objects, or all that have been changing since then."""

    at: float
    since: float
    found: asyncio.Task[dict[str, Object]]

    def shows(self, began: float) -> bool:
        """Tell whether it shows what was asked to change then, as it was after that."""
        return self.since <= began < self.at


@dataclass(slots=True)
class _Watch:
    """Those who ask for objects of one collection, and what was seen last."""

    gathering: Gathering[Object]
    due: dict[float, float] = field(default_factory=dict)
    """When those who wait will poll again, by when that began which they wait for."""

    listing: _Listing | None = None
    asked: dict[str, _Asked] = field(default_factory=dict)
    seen: dict[str, tuple[float, Object]] = field(default_factory=dict)
    """Each object as it was listed, with the time at which that was asked."""

    paces: dict[str, Pace] = field(default_factory=dict)


class Poller:
    """Shows objects of one cloud, as many as possible with one call."""

    def __init__(self, service: Callable[[str], Service], clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._watches: dict[Collection, _Watch] = {}

    async def poll(
        self, collection: Collection, object_id: str, began: float, *, is_own: bool = False
    ) -> Object | None:
        """Return an object as it is now; None if there is none. Raises CloudError.

        ``began`` is when it was asked to change (seconds since 1970): what was seen earlier does
        not count. Whoever asks within a short time is answered by the same call. ``is_own`` says
        that we have made it: a listing of everything shows it as long as it exists.
        """
        watch = self._watch(collection)
        seen = watch.seen.get(object_id)
        if seen is not None and seen[0] > max(began, self._clock.now() - _FRESH):
            return seen[1]
        listing = watch.listing
        if listing is not None and listing.shows(began):
            listed = await asyncio.shield(listing.found)
            if object_id in listed:
                return listed[object_id]
        asked = watch.asked.setdefault(object_id, _Asked(began, is_own))
        asked.began, asked.is_own = min(asked.began, began), asked.is_own and is_own
        return await watch.gathering.ask(object_id)

    def pause(self, collection: Collection, what: str, began: float) -> float:
        """Return how many seconds to wait before the next poll of what began then.

        ``what`` names the change (create, delete, resize …): each takes its own time.
        """
        watch, now = self._watch(collection), self._clock.now()
        pause = watch.paces.setdefault(what, Pace()).pause(now, began)
        waiting = {key: due for key, due in watch.due.items() if due > now - _TOGETHER}
        watch.due = {**waiting, began: now + pause}
        return pause

    def ended(self, collection: Collection, what: str, began: float) -> None:
        """Note that a change has ended, to know the next time how long one takes."""
        watch = self._watch(collection)
        watch.due.pop(began, None)
        watch.paces.setdefault(what, Pace()).ended(self._clock.now() - began)

    def _watch(self, collection: Collection) -> _Watch:
        watch = self._watches.get(collection)
        if watch is None:
            gathering = Gathering(lambda ids: self._found(collection, ids), self._clock)
            watch = self._watches[collection] = _Watch(gathering)
        return watch

    async def _found(self, collection: Collection, ids: Sequence[str]) -> dict[str, Object]:
        watch, at = self._watches[collection], self._clock.now()
        asked = {each: watch.asked.pop(each) for each in ids if each in watch.asked}
        found: dict[str, Object] = {}
        listed: dict[str, Object] = {}
        unseen = list(ids)
        if len(ids) > 1 or self._has_more(collection, at):
            since = min((each.began for each in asked.values()), default=at)
            listed = await self._listed(collection, ids, at, since)
            found = {each: listed[each] for each in ids if each in listed}
            # What a listing leaves out is read by itself before it counts as deleted.
            unseen = [
                each
                for each in ids
                if each not in found
                and not (collection.narrow is whole and each in asked and asked[each].is_own)
            ]
        alone = await asyncio.gather(*(self._one(collection, each) for each in unseen))
        found |= {each: one for each, one in zip(unseen, alone, strict=True) if one}
        limit = at - _FRESH
        watch.seen = {key: value for key, value in watch.seen.items() if value[0] > limit}
        watch.seen |= {key: (at, value) for key, value in {**listed, **found}.items()}
        return found

    def _has_more(self, collection: Collection, at: float) -> bool:
        """Tell whether others will poll in the same moment, whom a listing would show theirs."""
        due = [
            each for each in self._watches[collection].due.values() if abs(each - at) < _TOGETHER
        ]
        return collection.narrow in (changes_since, whole) and len(due) > 1

    async def _listed(
        self, collection: Collection, ids: Sequence[str], at: float, since: float
    ) -> dict[str, Object]:
        """Return objects by their ids, of some listings also others than those that are asked for.

        Who comes while such a listing is under way is answered by it.
        """
        watch = self._watches[collection]
        call = asyncio.create_task(self._pages(collection, collection.narrow(ids, since)))
        if collection.narrow in (changes_since, whole):
            is_whole = collection.narrow is whole
            watch.listing = _Listing(at, 0.0 if is_whole else since, call)
        try:
            return await call
        finally:
            watch.listing = None

    async def _pages(
        self, collection: Collection, queries: Sequence[Parameters]
    ) -> dict[str, Object]:
        service = self._service(collection.service)
        path = collection.list_path or collection.path
        key = collection.list_key or f"{collection.key}s"
        pages = await asyncio.gather(
            *(
                service.list_all(path, key, query, microversion=collection.microversion)
                for query in queries
            )
        )
        return {each["id"]: each for page in pages for each in page if "id" in each}

    async def _one(self, collection: Collection, object_id: str) -> Object | None:
        service = self._service(collection.service)
        path = f"{collection.path}/{object_id}"
        try:
            answer = await service.get(path, microversion=collection.microversion)
        except NotFound:
            return None
        found: Object = answer[collection.key] if collection.key else answer
        return found
