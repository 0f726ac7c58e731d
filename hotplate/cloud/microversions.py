"""Microversions: asked of each service once, and sent with every call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hotplate.cloud.errors import BadConfiguration, Unsupported
from hotplate.cloud.services import KINDS, Microversion, ServiceKind
from hotplate.cloud.settings import CloudSettings

Discover = Callable[[str], Awaitable[Any]]
"""Returns the document with the versions of a service that is at an address."""

_KEPT: Final = 3600.0
"""Seconds after which a service is asked again: it may have been upgraded."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The microversions of a service, and when they were read."""

    least: Microversion
    most: Microversion
    at: float


class Microversions:
    """The microversions of one service. Concurrent askers share one request."""

    def __init__(
        self,
        kind: str,
        settings: CloudSettings,
        root: Callable[[], Awaitable[str]],
        now: Callable[[], float],
    ) -> None:
        self._kind = kind
        self._known = KINDS.get(kind, ServiceKind())
        self._root = root
        self._now = now
        self._lock = asyncio.Lock()
        self._offered: Offered | None = None
        self._wanted = _wanted(kind, settings, self._known)

    async def newest(self, discover: Discover) -> Microversion | None:
        """Return the newest that the service has and we know; None if it has none."""
        if self._wanted is None:
            return None
        offered = await self._offer(discover)
        if offered.least > self._wanted:
            raise Unsupported(
                f"the service is too new: it has microversions from {offered.least} on, and "
                f"{self._wanted} is the newest that is known here",
                self._kind,
            )
        return min(self._wanted, offered.most)

    async def has(self, version: Microversion, discover: Discover) -> bool:
        """Return whether the service has a microversion."""
        if self._wanted is None:
            return False
        offered = await self._offer(discover)
        return offered.least <= version <= offered.most

    async def headers(self, asked: str, discover: Discover) -> Mapping[str, str]:
        """Return what to send: the microversion that is asked for, else the newest.

        Raises Unsupported if the service does not have it.
        """
        if self._wanted is None:
            return {}
        version = Microversion.parse(asked) if asked else await self.newest(discover)
        if asked and not await self.has(Microversion.parse(asked), discover):
            offered = await self._offer(discover)
            raise Unsupported(
                f"the call needs microversion {asked}; the service has {offered.least} to "
                f"{offered.most}",
                self._kind,
            )
        found = {"OpenStack-API-Version": f"{self._known.microversion_name} {version}"}
        if self._known.old_header:
            found[self._known.old_header] = str(version)
        return found

    async def _offer(self, discover: Discover) -> Offered:
        async with self._lock:
            if self._offered is None or self._offered.at + _KEPT < self._now():
                document = await discover(_unscoped(await self._root(), self._known.version))
                self._offered = _offered(document, self._known.version, self._now())
            if self._offered is None:
                raise Unsupported("the service does not say which microversions it has", self._kind)
            return self._offered


def _wanted(kind: str, settings: CloudSettings, known: ServiceKind) -> Microversion | None:
    if not known.microversion_name:
        return None
    text = settings.of_service(kind, "default_microversion") or known.newest
    try:
        return Microversion.parse(text)
    except ValueError:
        raise BadConfiguration(f"{text!r} is no microversion, such as 2.90", kind) from None


def _unscoped(root: str, version: str) -> str:
    """Return the address of the API without the project that may follow."""
    before, found, _ = root.partition(f"/{version}") if version else (root, "", "")
    return f"{before}{found}/"


def _offered(document: Any, version: str, now: float) -> Offered | None:
    """Read a document of versions: one of them, or a list."""
    one = document.get("version") if isinstance(document, Mapping) else None
    several = document.get("versions") if isinstance(document, Mapping) else None
    listed = [one] if isinstance(one, Mapping) else several if isinstance(several, list) else []
    major = version.partition(".")[0]
    for each in listed:
        if not isinstance(each, Mapping) or not str(each.get("id", "")).startswith(major):
            continue
        try:
            most = Microversion.parse(str(each.get("version") or each.get("max_version")))
            return Offered(Microversion.parse(str(each["min_version"])), most, now)
        except (ValueError, LookupError):
            continue
    return None
