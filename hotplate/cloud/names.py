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
_IN_DOMAIN: Final = re.compile(r"(.+)\{(.+)\}")
LIFETIME: Final = 30.0


def is_uuid(text: str) -> bool:
    """Tell whether a text can be an id of most services."""
    return _UUID.fullmatch(text) is not None


class Ambiguous(CloudError):
    """Several objects have the name; only an id says which one is meant."""


@dataclass(frozen=True, slots=True)
class Named:
    """Objects of one sort that have names."""

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
    by_name: bool = True
    """An object can be meant by its name; if not, by its id alone."""

    id_field: str = "id"
    name_field: str = "name"
    item: str = ""
    """The name of an object in a list of them, if each is in a map of its own."""

    is_own: bool = False
    """By name only those of our own project are meant, though others are seen."""

    in_domain: bool = False
    """A name may have its domain in braces: "web{Default}"."""

    has_address: bool = False
    """The id may be written as the end of an address."""


NETWORK: Final = Named("network", "network", "/networks", "networks")
SUBNET: Final = Named("subnet", "network", "/subnets", "subnets")
SUBNET_POOL: Final = Named("subnet pool", "network", "/subnetpools", "subnetpools")
ADDRESS_SCOPE: Final = Named("address scope", "network", "/address-scopes", "address_scopes")
SEGMENT: Final = Named("segment", "network", "/segments", "segments")
PORT: Final = Named("port", "network", "/ports", "ports")
TRUNK: Final = Named("trunk", "network", "/trunks", "trunks")
ROUTER: Final = Named("router", "network", "/routers", "routers")
FLOATING_IP: Final = Named(
    "floating IP", "network", "/floatingips", "floatingips", name_field="floating_ip_address"
)
SECURITY_GROUP: Final = Named(
    "security group", "network", "/security-groups", "security_groups", is_own=True
)
QOS_POLICY: Final = Named("QoS policy", "network", "/qos/policies", "policies", one="policy")
IMAGE: Final = Named("image", "image", "/images", "images", one="-")
FLAVOR: Final = Named(
    "flavor", "compute", "/flavors", "flavors",
    filters=False, ids_are_uuids=False, list_path="/flavors/detail",
)  # fmt: skip
SERVER: Final = Named("server", "compute", "/servers", "servers")
KEYPAIR: Final = Named(
    "key pair", "compute", "/os-keypairs", "keypairs",
    ids_are_uuids=False, by_name=False, id_field="name", item="keypair",
)  # fmt: skip
VOLUME: Final = Named("volume", "block-storage", "/volumes", "volumes")
VOLUME_SNAPSHOT: Final = Named("volume snapshot", "block-storage", "/snapshots", "snapshots")
VOLUME_BACKUP: Final = Named("volume backup", "block-storage", "/backups", "backups")
VOLUME_TYPE: Final = Named(
    "volume type", "block-storage", "/types", "volume_types",
    filters=False, query={"is_public": "None"},
)  # fmt: skip
QOS_SPECS: Final = Named("QoS specs", "block-storage", "/qos-specs", "qos_specs", filters=False)


def _identity(what: str, key: str, *, in_domain: bool = False, by_name: bool = True) -> Named:
    """Keystone's ids are what its drivers make them; some are chosen by people."""
    return Named(
        what, "identity", f"/{key}", key, ids_are_uuids=False, in_domain=in_domain, by_name=by_name
    )


PROJECT: Final = _identity("project", "projects", in_domain=True)
USER: Final = _identity("user", "users", in_domain=True)
GROUP: Final = _identity("group", "groups", in_domain=True)
ROLE: Final = _identity("role", "roles", in_domain=True)
DOMAIN: Final = _identity("domain", "domains")
IDENTITY_SERVICE: Final = _identity("service", "services")
REGION: Final = _identity("region", "regions", by_name=False)


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
        return str((await self.find(kind, name_or_id))[kind.id_field])

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
            found = [each for each in everything if str(each.get(kind.id_field)) == wanted]
            return self._only(kind, wanted, found or _of_name(kind, everything, wanted))
        if kind.has_address:
            wanted = wanted.rpartition("/")[2]
        if (not kind.ids_are_uuids or is_uuid(wanted)) and (one := await self._by_id(kind, wanted)):
            return one
        if not kind.by_name:
            raise await self._missing(kind, wanted)
        name, query = await self._query(kind, wanted)
        found = _of_name(kind, await self._list(kind, query), name)
        if found:
            return self._only(kind, wanted, found)
        raise await self._missing(kind, wanted)

    async def _query(self, kind: Named, wanted: str) -> tuple[str, dict[str, Any]]:
        """Return the name that is meant, and how the service lists what has it."""
        query, in_braces = await self._scope(kind), _IN_DOMAIN.fullmatch(wanted)
        if kind.in_domain and in_braces is not None:
            wanted = in_braces[1]
            query["domain_id"] = await self.id_of(DOMAIN, in_braces[2])
        return wanted, {**query, kind.name_field: _pattern(kind, wanted)}

    async def _scope(self, kind: Named) -> dict[str, Any]:
        if not kind.is_own:
            return dict(kind.query)
        return {**kind.query, "project_id": await self._service(kind.service).project_id()}

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
        found = await service.list_all(kind.list_path or kind.path, kind.key, query, most=most)
        return [each[kind.item] for each in found] if kind.item else found

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
        ids = ", ".join(str(each[kind.id_field]) for each in found[:5])
        raise Ambiguous(
            f'{len(found)} {kind.what}s are named "{wanted}": {ids}; say which by its id',
            kind.service,
        )

    def _names_known(self, kind: Named) -> list[dict[str, Any]]:
        _, task = self._known.get((kind, ""), (0, None))
        if task is None or not task.done() or task.exception() is not None:
            return []
        found: list[dict[str, Any]] = task.result()
        return found

    async def _missing(self, kind: Named, wanted: str) -> NotFound:
        try:
            listed = await self._list(kind, await self._scope(kind), _MOST_SHOWN)
        except CloudError:
            listed = []
        return self._not_found(kind, wanted, listed)

    def _not_found(self, kind: Named, wanted: str, listed: list[dict[str, Any]]) -> NotFound:
        words = f'there is no {kind.what} "{wanted}"'
        hint = did_you_mean(wanted, _names_of(kind, listed))
        if not kind.by_name and kind.id_field != kind.name_field:
            words = f'there is no {kind.what} with the id "{wanted}"'
            named = _of_name(kind, listed, wanted)
            hint = f"that with this name has the id {named[0][kind.id_field]}" if named else ""
        return NotFound(f"{words}; {hint}" if hint else words, kind.service)


def _of_name(kind: Named, listed: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [each for each in listed if each.get(kind.name_field) == name]


def _names_of(kind: Named, listed: list[dict[str, Any]]) -> list[str]:
    return [str(each[kind.name_field]) for each in listed if each.get(kind.name_field)]


def _pattern(kind: Named, name: str) -> str:
    """Nova takes names for regular expressions."""
    return f"^{re.escape(name)}$" if kind.service == "compute" else name


def _retrieved(task: asyncio.Task[Any]) -> None:
    """Whoever asked may have been cancelled; then the failure is read by no one else."""
    if not task.cancelled():
        task.exception()
