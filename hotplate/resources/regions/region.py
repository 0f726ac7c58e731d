"""Regions: where another server is, and what we may tell it of ourselves.

The operator names them, or the catalogue of the cloud does. A template chooses among these names
and never gives an address, so that no template can make this server send its tokens, or anything
else, to a place of its choice.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from hotplate.document import did_you_mean
from hotplate.private_file import NotPrivate, read_private
from hotplate.resources.regions.direct import Access, DirectServer
from hotplate.resources.regions.errors import UnknownRegion
from hotplate.resources.regions.heat_api import HeatApi
from hotplate.resources.resource_type import ResourceFailed, World

if TYPE_CHECKING:
    from hotplate.resources.regions.clouds import CloudServers

SERVICE = "regions"
_CLOUD = "cloud"
"""`hotplate.cloud.SERVICE`, which only who has a cloud imports."""

PATIENCE = 60
_PROJECT = ("%(project_id)s", "%(tenant_id)s")


@dataclass(frozen=True, slots=True)
class Region:
    """One other server. ``url`` leads to the project there; it may name ours as %(project_id)s.

    Tokens are in files, read whenever one is needed: so they can be changed at any time.
    """

    url: str
    token_file: Path | None = None
    credentials: Mapping[str, Path] = field(default_factory=dict)
    """Further tokens by the names under which templates may choose them."""

    ca_file: Path | None = None
    allow_insecure: bool = False
    """Whether a template may do without a check of the server's certificate."""

    projects: tuple[str, ...] = ()
    """Whose stacks may use it; empty for everybody's."""

    patience: float = PATIENCE
    """Seconds for which a server that does not answer is asked again."""


@dataclass(frozen=True, slots=True)
class RemoteClouds:
    """What the operator says of clouds that templates reach, by a catalogue or by a secret."""

    auth_urls: tuple[str, ...] | None = None
    """The Keystones at which secrets may log in; None for that of the own cloud alone."""

    allow_insecure: bool = False
    """Whether a template may do without a check of certificates."""


class Regions:
    """The regions of an installation, and those of the cloud that whoever asks has."""

    def __init__(
        self,
        regions: Mapping[str, Region],
        transport: httpx.AsyncBaseTransport | None = None,
        remote: RemoteClouds | None = None,
    ) -> None:
        self._regions = dict(regions)
        self._transport = transport
        self._remote = remote or RemoteClouds()
        self._clouds: CloudServers | None = None

    def place(self, context: Mapping[str, Any]) -> str:
        """Return what Heat calls the place that a context names."""
        name = context.get("region_name") or ""
        is_remote = context.get("credential_secret_id") and name not in self._regions
        return "remote cloud" if is_remote else f'region "{name}"'

    async def api(self, world: World, project: str, context: Mapping[str, Any]) -> HeatApi:
        """Return the server that a context means: the operator's, else one of the cloud.

        Raises ResourceFailed if there is none, and what getting the cloud raises.
        """
        name = context.get("region_name") or ""
        if name in self._regions:
            # Tokens are in files.
            access = await asyncio.to_thread(self.access, project, context)
            return HeatApi(DirectServer(access))
        try:
            cloud = world.service(_CLOUD)
        except LookupError:
            raise self._unknown(name, project, context) from None
        except Exception as error:
            from hotplate.cloud import CloudError  # noqa: PLC0415 (it has just been used)

            if isinstance(error, CloudError):
                raise ResourceFailed(str(error)) from None
            raise
        if self._clouds is None:
            from hotplate.resources.regions.clouds import CloudServers  # noqa: PLC0415 (few use it)

            self._clouds = CloudServers(self._remote)
        return HeatApi(self._clouds.server(cloud, context))

    async def close(self) -> None:
        """End the connections to servers in clouds."""
        if self._clouds is not None:
            await self._clouds.close()

    def access(self, project: str, context: Mapping[str, Any]) -> Access:
        """Return how to reach a region of the operator's. Raises ResourceFailed. Blocks."""
        name = context.get("region_name") or ""
        region = self._region(name, project)
        token = _token(self._token_file(name, region, context.get("credential_secret_id")))
        url = region.url
        for word in _PROJECT:
            url = url.replace(word, quote(project, safe=""))
        verify = _verification(name, region, context)
        return Access(name, url.rstrip("/"), token, verify, region.patience, self._transport)

    def _region(self, name: str, project: str) -> Region:
        usable = self._usable(project)
        if name in usable:
            return usable[name]
        raise self._unknown(name, project)

    def _usable(self, project: str) -> dict[str, Region]:
        return {
            each: region
            for each, region in self._regions.items()
            if not region.projects or project in region.projects
        }

    def _unknown(
        self, name: str, project: str, context: Mapping[str, Any] | None = None
    ) -> UnknownRegion:
        if not name and context and context.get("credential_secret_id"):
            return UnknownRegion(
                "context.credential_secret_id is a secret of the cloud, and no cloud is used here; "
                "or it chooses among the credentials of a region: say which one with "
                "context.region_name"
            )
        usable = self._usable(project)
        known = f"known are {', '.join(sorted(usable))}" if usable else "there are none"
        hint = did_you_mean(name, usable) or f"{known}; the operator's configuration names them"
        return UnknownRegion(f'there is no region "{name}" for this project; {hint}')

    def _token_file(self, name: str, region: Region, credential: str | None) -> Path | None:
        if not credential:
            return region.token_file
        if credential not in region.credentials:
            hint = did_you_mean(credential, region.credentials)
            raise UnknownRegion(
                f'the region "{name}" has no credential "{credential}"; '
                f"{hint or 'the operator names them in the configuration'}"
            )
        return region.credentials[credential]


def _token(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return read_private(path).decode().strip()
    except NotPrivate:
        raise ResourceFailed(
            "the file with the region's token is a link, or others can read or write it; the "
            "operator must name a file of the server's own user, with the mode 0600"
        ) from None
    except (OSError, UnicodeDecodeError):
        # Which file it is concerns the operator alone.
        raise ResourceFailed(
            "the file with the region's token cannot be read; the operator must see to it"
        ) from None


def _verification(name: str, region: Region, context: Mapping[str, Any]) -> ssl.SSLContext | bool:
    if context.get("insecure"):
        if not region.allow_insecure:
            raise ResourceFailed(
                f'the region "{name}" must not be used without a look at its certificate; leave '
                "out insecure, or ask the operator to allow it"
            )
        return False
    if not region.url.startswith("https:"):
        return True
    try:
        trusted = ssl.create_default_context(cafile=region.ca_file)
        if context.get("ca_cert"):
            trusted.load_verify_locations(cadata=context["ca_cert"])
    except (OSError, ValueError) as error:
        raise ResourceFailed(f"the certificates to trust cannot be read: {error}") from None
    return trusted
