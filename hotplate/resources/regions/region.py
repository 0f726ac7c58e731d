"""Regions: where another server is, and what we may tell it of ourselves.

The operator names them. A template chooses among these names and never gives an address, so that
no template can make this server send its tokens, or anything else, to a place of its choice.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from hotplate.document import did_you_mean
from hotplate.private_file import NotPrivate, read_private
from hotplate.resources.resource_type import ResourceFailed

SERVICE = "regions"
PATIENCE = 60
_PROJECT = ("%(project_id)s", "%(tenant_id)s")


class UnknownRegion(ResourceFailed):
    """A template names a region or a credential that the operator has not set up."""


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
class Access:
    """How a server is reached for one project. ``verify`` is how its certificate is checked."""

    region: str
    url: str
    token: str = field(repr=False)
    verify: ssl.SSLContext | bool
    patience: float
    transport: httpx.AsyncBaseTransport | None = None
    """What carries requests, if not the network."""


class Regions:
    """The regions of an installation. Reading tokens blocks: call `access` in a thread."""

    def __init__(
        self, regions: Mapping[str, Region], transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._regions = dict(regions)
        self._transport = transport

    def access(self, project: str, context: Mapping[str, Any]) -> Access:
        """Return how to reach the region that a context names. Raises ResourceFailed."""
        name = context.get("region_name") or ""
        region = self._region(name, project)
        token = _token(self._token_file(name, region, context.get("credential_secret_id")))
        url = region.url
        for word in _PROJECT:
            url = url.replace(word, quote(project, safe=""))
        verify = _verification(name, region, context)
        return Access(name, url.rstrip("/"), token, verify, region.patience, self._transport)

    def _region(self, name: str, project: str) -> Region:
        usable = {
            each: region
            for each, region in self._regions.items()
            if not region.projects or project in region.projects
        }
        if name in usable:
            return usable[name]
        known = f"known are {', '.join(sorted(usable))}" if usable else "there are none"
        hint = did_you_mean(name, usable) or f"{known}; the operator's configuration names them"
        raise UnknownRegion(f'there is no region "{name}" for this project; {hint}')

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
