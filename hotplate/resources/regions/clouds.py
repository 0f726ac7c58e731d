"""Servers of a cloud: in another of its regions, or in a cloud whose credential is a secret of it.

They are called as all services of a cloud are. Only who has a cloud imports this.
"""

import asyncio
import ssl
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hotplate.cloud import Cloud, CloudError, CloudSettings, NoEndpoint, Service, Unavailable
from hotplate.cloud.wire import HttpWire, Wire
from hotplate.resources.regions.errors import Refused, UnknownRegion, Unreachable
from hotplate.resources.regions.region import PATIENCE, RemoteClouds
from hotplate.resources.regions.secret_credential import read_credential
from hotplate.resources.resource_type import ResourceFailed

_HEAT: Final = "orchestration"
_KEPT: Final = 60.0
"""Seconds after which a secret is read again: it may have changed, or be for others by then."""

_MOST: Final = 64
"""Regions and secrets that are remembered, for all users together."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a context says."""

    region: str
    secret: str
    ca_text: str
    insecure: bool

    @property
    def has_wire(self) -> bool:
        """Whether certificates are verified in another way than those of the own cloud."""
        return bool(self.secret or self.ca_text or self.insecure)


@dataclass(slots=True)
class _Entry:
    """The cloud of a context as one user sees it."""

    has_wire: bool
    """Whether it has connections of its own."""

    cloud: Cloud | None = None
    since: float = 0
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Whoever has it reads the secret, for all who need it at the same time."""


class CloudServers:
    """The servers of clouds that templates name. For one event loop."""

    def __init__(
        self, remote: RemoteClouds, wire: Callable[[CloudSettings], Wire] = HttpWire
    ) -> None:
        self._remote = remote
        self._wire = wire
        self._entries: OrderedDict[tuple[Cloud, _Wanted], _Entry] = OrderedDict()

    def server(self, cloud: Cloud, context: Mapping[str, Any]) -> "CloudServer":
        """Return the server that a context means to whoever has a cloud. Nothing is asked yet."""
        wanted = _Wanted(
            context.get("region_name") or "",
            context.get("credential_secret_id") or "",
            context.get("ca_cert") or "",
            bool(context.get("insecure")),
        )
        where = "remote cloud" if wanted.secret else f'region "{wanted.region}"'

        async def service() -> Service:
            return (await self._cloud(cloud, wanted)).service(_HEAT)

        return CloudServer(f"the server of {where}", service)

    async def close(self) -> None:
        """End all connections."""
        while self._entries:
            await self._end(self._entries.popitem()[1])

    async def _cloud(self, own: Cloud, wanted: _Wanted) -> Cloud:
        """Return the cloud in which the server is. Raises CloudError, ResourceFailed."""
        if wanted.insecure and own.settings.verify and not self._remote.allow_insecure:
            raise ResourceFailed(
                "the server must not be used without a look at its certificate; leave out "
                "insecure, or ask the operator to allow it (allow_insecure in [regions])"
            )
        _check_certificates(wanted.ca_text)
        # Whoever has another authority must not use what was read with this one.
        entry = self._entries.setdefault((own, wanted), _Entry(wanted.has_wire))
        self._entries.move_to_end((own, wanted))
        while len(self._entries) > _MOST:
            await self._end(self._entries.popitem(last=False)[1])
        async with entry.reading:
            now = own.clock.now()
            if entry.cloud is None or (wanted.secret and now >= entry.since + _KEPT):
                entry.cloud = await self._renewed(entry, own, wanted)
                entry.since = now
            return entry.cloud

    async def _renewed(self, entry: _Entry, own: Cloud, wanted: _Wanted) -> Cloud:
        verify = not wanted.insecure
        if not wanted.secret:
            return own.elsewhere(
                wanted.region, verify=verify, ca_text=wanted.ca_text, wire=self._wire
            )
        allowed = self._remote.auth_urls
        if allowed is None:
            allowed = (own.settings.auth.get("auth_url", ""),)
        try:
            credential = await read_credential(own, wanted.secret, allowed)
        except Exception:
            await self._end(entry)  # who may not read it any more does not go on with it
            raise
        settings = CloudSettings(
            f"secret {wanted.secret}",
            credential.auth_type,
            credential.auth,
            wanted.region,
            own.settings.interface,
            verify,
            own.settings.ca_file,
            ca_text=wanted.ca_text,
        )
        if entry.cloud is not None and entry.cloud.settings == settings:
            return entry.cloud  # with its token
        await self._end(entry)
        return Cloud(settings, self._wire(settings), own.clock)

    async def _end(self, entry: _Entry) -> None:
        cloud, entry.cloud = entry.cloud, None
        if cloud is not None and entry.has_wire:
            await cloud.close()


def _check_certificates(text: str) -> None:
    if not text:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (OSError, ValueError) as error:
        raise ResourceFailed(f"the certificates to trust cannot be read: {error}") from None


class CloudServer:
    """A server that is called as a service of a cloud."""

    def __init__(self, where: str, service: Callable[[], Any]) -> None:
        self.where = where
        self.patience: float = PATIENCE
        self._service = service

    async def connect(self) -> None:
        """Find its endpoint, with a token. Raises UnknownRegion, ResourceFailed, Unreachable."""
        try:
            await (await self._service()).url()
        except CloudError as error:
            raise self._failure(error) from None

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON that it answers. Raises Unreachable, Refused, ResourceFailed."""
        try:
            service: Service = await self._service()
            reply = await service.call(method, path, body)
        except CloudError as error:
            raise self._failure(error) from None
        if reply.content:
            raise Refused(f"{self.where} does not answer in JSON", reply.status)
        return reply.body

    def _failure(self, error: CloudError) -> Exception:
        """Return what an error means for whoever waits for the stack."""
        if isinstance(error, Unavailable) or error.status >= 500:
            return Unreachable(f"{self.where} cannot be reached: {error}")
        if isinstance(error, NoEndpoint):
            return UnknownRegion(error.words)
        if error.service == _HEAT and error.status:
            text = f"{self.where} refuses: {error.status} {error.words}"
            words = error.words if error.status == 400 else f"{error.status} {error.words}"
            return Refused(text, error.status, words)
        return ResourceFailed(str(error), "RemoteStackFailed")
