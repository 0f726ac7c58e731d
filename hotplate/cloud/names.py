"""Names to ids: looked up once, for all who ask meanwhile and for a while after."""

import asyncio
import contextvars
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from hotplate.cloud.calling import Clock
from hotplate.cloud.errors import BadRequest, CloudError, NotFound
from hotplate.cloud.service import Service
from hotplate.document import did_you_mean

_UUID: Final = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_MOST_SHOWN: Final = 200
LIFETIME: Final = 30.0


class Ambiguous(CloudError):
    """Several objects have the name; only an id says which one is meant."""


@dataclass(frozen=True, slots=True)
class Named:
    """Objects of one kind that have names."""

    what: str
    """What people call it: "network"."""

    service: str
    path: str
    key: str
    """The name of the list in the answer: "networks"."""

    filters: bool = True
    """The service can list by name; if not, everything is listed once and compared here."""

    query: Mapping[str, Any] = field(default_factory=dict, hash=False)
    one: str = ""
    """The name of one object in its answer; else the key without its s. "-" for none."""

    ids_are_uuids: bool = True
    list_path: str = ""


NETWORK: Final = Named("network", "network", "/networks", "networks")
SUBNET: Final = Named("subnet", "network", "/subnets", "subnets")
PORT: Final = Named("port", "network", "/ports", "ports")
ROUTER: Final = Named("router", "network", "/routers", "routers")
SECURITY_GROUP: Final = Named("security group", "network", "/security-groups", "security_groups")
IMAGE: Final = Named("image", "image", "/images", "images", one="-")
FLAVOR: Final = Named(
    "flavor", "compute", "/flavors", "flavors", filters=False, ids_are_uuids=False
)
SERVER: Final = Named("server", "compute", "/servers", "servers")
VOLUME: Final = Named("volume", "block-storage", "/volumes", "volumes")
VOLUME_TYPE: Final = Named("volume type", "block-storage", "/types", "volume_types", filters=False)


class Names:
    """Resolves names, each once. Make one for an operation, or share the cloud's for a while."""

    def __init__(
        self, service: Callable[[str], Service], clock: Clock, lifetime: float = LIFETIME
    ) -> None:
        self._service = service
        self._clock = clock
        self._lifetime = lifetime
        self._known: dict[tuple[Named, str], tuple[float, asyncio.Task[Any]]] = {}

    async def id_of(self, kind: Named, name_or_id: str) -> str:
        """Return the id of the object with an id or a name. Raises NotFound, Ambiguous, CloudError.

        An id comes before a name, as in Heat.
        """
        return str((await self.find(kind, name_or_id))["id"])

    async def find(self, kind: Named, name_or_id: str) -> Mapping[str, Any]:
        """Return the object with an id or a name. Raises NotFound, Ambiguous, CloudError."""
        found: Mapping[str, Any] = await self._shared(
            (kind, name_or_id), lambda: self._look_up(kind, name_or_id)
        )
        return found

    async def _shared(self, key: tuple[Named, str], ask: Callable[[], Any]) -> Any:
        now = self._clock.now()
        if key in self._known:
            at, task = self._known[key]
            if not task.done() or (at + self._lifetime > now and task.exception() is None):
                return await asyncio.shield(task)
        task = asyncio.create_task(ask(), context=contextvars.Context())
        task.add_done_callback(_retrieved)
        self._known[key] = (now, task)
        return await asyncio.shield(task)

    async def _look_up(self, kind: Named, wanted: str) -> Mapping[str, Any]:
        if not kind.filters:
            everything = await self._everything(kind)
            found = [each for each in everything if str(each.get("id")) == wanted]
            return self._only(
                kind, wanted, found or [each for each in everything if each.get("name") == wanted]
            )
        if (not kind.ids_are_uuids or _UUID.fullmatch(wanted)) and (
            one := await self._by_id(kind, wanted)
        ):
            return one
        query = {**kind.query, "name": _pattern(kind, wanted)}
        listed = await self._list(kind, query)
        found = [each for each in listed if each.get("name") == wanted]
        if found:
            return self._only(kind, wanted, found)
        raise await self._missing(kind, wanted)

    async def _by_id(self, kind: Named, wanted: str) -> Mapping[str, Any] | None:
        try:
            answer = await self._service(kind.service).get(f"{kind.path}/{quote(wanted, safe='')}")
        except (NotFound, BadRequest):
            return None
        found: Mapping[str, Any] = answer if kind.one == "-" else answer[kind.one or kind.key[:-1]]
        return found

    async def _list(
        self, kind: Named, query: Mapping[str, Any], most: int = 0
    ) -> list[dict[str, Any]]:
        service = self._service(kind.service)
        return await service.list_all(kind.list_path or kind.path, kind.key, query, most=most)

    async def _everything(self, kind: Named) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self._shared(
            (kind, ""), lambda: self._list(kind, kind.query)
        )
        return found

    def _only(self, kind: Named, wanted: str, found: list[dict[str, Any]]) -> Mapping[str, Any]:
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._not_found(kind, wanted, self._names_known(kind))
        ids = ", ".join(str(each["id"]) for each in found[:5])
        raise Ambiguous(
            f'{len(found)} {kind.what}s are named "{wanted}": {ids}; say which by its id',
            kind.service,
        )

    def _names_known(self, kind: Named) -> list[str]:
        _, task = self._known.get((kind, ""), (0, None))
        if task is None or not task.done() or task.exception() is not None:
            return []
        return [str(each.get("name")) for each in task.result()]

    async def _missing(self, kind: Named, wanted: str) -> NotFound:
        try:
            listed = await self._list(kind, kind.query, _MOST_SHOWN)
        except CloudError:
            listed = []
        return self._not_found(kind, wanted, [str(each.get("name")) for each in listed])

    def _not_found(self, kind: Named, wanted: str, names: list[str]) -> NotFound:
        hint = did_you_mean(wanted, [name for name in names if name])
        words = f'there is no {kind.what} "{wanted}"'
        return NotFound(f"{words}; {hint}" if hint else words, kind.service)


def _pattern(kind: Named, name: str) -> str:
    """Nova takes names for regular expressions."""
    return f"^{re.escape(name)}$" if kind.service == "compute" else name


def _retrieved(task: asyncio.Task[Any]) -> None:
    """Whoever asked may have been cancelled; then the failure is read by no one else."""
    if not task.cancelled():
        task.exception()
