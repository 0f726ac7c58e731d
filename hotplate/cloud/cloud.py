"""A cloud as one user of one project sees it in one region."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from hotplate.cloud.calling import Clock
from hotplate.cloud.constraints import Found, look_up
from hotplate.cloud.extensions import Extensions
from hotplate.cloud.gathering import Gathering
from hotplate.cloud.identity import Identity, Token, Tokens
from hotplate.cloud.names import Names
from hotplate.cloud.polling import Poller, by_id
from hotplate.cloud.service import Service
from hotplate.cloud.services import official
from hotplate.cloud.settings import CloudSettings, load_settings
from hotplate.cloud.wire import HttpWire, Wire

SERVICE: Final = "cloud"
"""The name under which types get it from their world."""

_OF_ONE_REGION: Final = ("_region_name", "_endpoint_override", "_endpoint")
PER_SERVICE: Final = 12
PER_PROJECT: Final = 32
"""How many calls are on their way at the same time, at most."""


class Cloud:
    """Calls services. For one event loop; any number of coroutines at the same time.

    Nothing is asked of anybody before the first call.
    """

    def __init__(
        self,
        settings: CloudSettings,
        wire: Wire | None = None,
        clock: Clock | None = None,
        per_service: int = PER_SERVICE,
        per_project: int = PER_PROJECT,
        identity: Tokens | None = None,
    ) -> None:
        """Without an ``identity`` the credentials of the settings are used."""
        self.settings = settings
        self.clock = clock or Clock(time.time)
        self._wire = wire or HttpWire(settings)
        self._identity = identity or Identity(
            settings, self._wire, self.clock.now, self.clock.sleep
        )
        self._services: dict[str, Service] = {}
        self._per_service = per_service
        self._all = asyncio.Semaphore(per_project)
        self.poller = Poller(self.service, self.clock)
        self.names = Names(self.service, self.clock)
        self.extensions = Extensions(self.service, self.clock)
        self.ports_of_device = Gathering(self._ports_of_devices, self.clock)
        """The ports of a server or another device, by its id."""

    @classmethod
    def load(
        cls, environ: Mapping[str, str], cloud: str = "", region: str = "", folder: Path = Path()
    ) -> Self:
        """Return the cloud of clouds.yaml or of the OS_* variables. Raises BadConfiguration."""
        return cls(load_settings(environ, cloud, region, folder))

    def service(self, service_type: str) -> Service:
        """Return a service by its type, such as compute, network or block-storage."""
        kind = official(service_type)
        if kind not in self._services:
            bounds = (asyncio.Semaphore(self._per_service), self._all)
            self._services[kind] = Service(
                kind, self.settings, self._identity, self._wire, self.clock, bounds
            )
        return self._services[kind]

    async def token(self) -> Token:
        """Return who we are: ids of project and user, and the catalogue. Raises CloudError."""
        return await self._identity.token()

    async def project_id(self) -> str:
        """Return the id of the project in which all is made."""
        return (await self._identity.token()).project_id

    async def region(self) -> str:
        """Return the region in which all is made; empty for the first one of the catalogue."""
        return self.settings.region or (await self._identity.token()).region

    def elsewhere(
        self,
        region: str,
        *,
        verify: bool = True,
        ca_text: str = "",
        wire: Callable[[CloudSettings], Wire] = HttpWire,
    ) -> "Cloud":
        """Return the same cloud in another region, for the same user and with the same tokens.

        What the settings say of single services is said of the region that they name, and does not
        hold there; but where Keystone is does. ``verify`` and ``ca_text`` are for the certificates
        there: with either it has a ``wire`` of its own, which whoever asked closes.
        """
        options = {
            name: value
            for name, value in self.settings.options.items()
            if name.startswith("identity_") or not name.endswith(_OF_ONE_REGION)
        }
        settings = replace(self.settings, region=region, options=options)
        carrier = self._wire
        if not verify or ca_text:
            settings = replace(settings, verify=verify and settings.verify, ca_text=ca_text)
            carrier = wire(settings)
        return Cloud(settings, carrier, self.clock, identity=self._identity)

    async def look_up(self, constraint: str, name_or_id: str) -> Found:
        """Return the id of what a custom constraint allows to be named, or why there is none.

        Neither if nothing is known of such a constraint. Raises CloudError.
        """
        return await look_up(self.names, constraint, name_or_id)

    async def _ports_of_devices(self, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for query in by_id("device_id")(ids, 0.0):
            for port in await self.service("network").list_all("/ports", "ports", query):
                found.setdefault(port["device_id"], []).append(port)
        return found

    async def close(self) -> None:
        """End all connections. It can be used again."""
        await self._wire.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
