"""What is known of OpenStack's services: their types and older names, versions, microversions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ServiceKind:
    """One service. ``version`` is the part of its addresses that names the API's version."""

    version: str = ""
    aliases: tuple[str, ...] = ()
    """Other types under which catalogues have it, the usual ones first."""

    microversion_name: str = ""
    """How the service is called in the header with the microversion; empty if it has none."""

    old_header: str = ""
    """The header of microversions that older versions of the service read."""

    newest: str = ""
    """The newest microversion that our calls are written for."""


KINDS: Final[Mapping[str, ServiceKind]] = {
    "identity": ServiceKind("v3"),
    "compute": ServiceKind("v2.1", (), "compute", "X-OpenStack-Nova-API-Version", newest="2.96"),
    "network": ServiceKind("v2.0"),
    "block-storage": ServiceKind(
        "v3", ("volumev3", "block-store", "volumev2", "volume"), "volume", newest="3.71"
    ),
    "image": ServiceKind("v2"),
    "object-store": ServiceKind(),
    "placement": ServiceKind("", (), "placement", newest="1.39"),
    "load-balancer": ServiceKind("v2.0"),
    "dns": ServiceKind("v2"),
    "key-manager": ServiceKind("v1"),
    "orchestration": ServiceKind("v1"),
    "workflow": ServiceKind("v2", ("workflowv2",)),
    "message": ServiceKind("v2", ("messaging",)),
    "alarm": ServiceKind("v2", ("alarming",)),
    "shared-file-system": ServiceKind(
        "v2", ("sharev2", "share"), "shared-file-system", "X-OpenStack-Manila-API-Version", "2.65"
    ),
    "container-infrastructure-management": ServiceKind(
        "v1", ("container-infra", "container-infrastructure"), "container-infra", newest="1.10"
    ),
    "database": ServiceKind("v1.0"),
    "application-container": ServiceKind("v1", ("container",), "container", newest="1.40"),
    "reservation": ServiceKind("v1"),
    "baremetal": ServiceKind(
        "v1", ("bare-metal",), "baremetal", "X-OpenStack-Ironic-API-Version", "1.80"
    ),
}
"""The services by the types that OpenStack calls official."""

_ALIASES: Final = {alias: kind for kind, known in KINDS.items() for alias in known.aliases}
_VERSION: Final = re.compile(r"/(v\d+(?:\.\d+)?)(?=/|$)")


def official(service_type: str) -> str:
    """Return the official type of a service that is known by another name too."""
    return _ALIASES.get(service_type, service_type)


def types_of(service_type: str) -> tuple[str, ...]:
    """Return the types under which a catalogue may have a service, in order of preference."""
    known = KINDS.get(service_type)
    return (service_type, *known.aliases) if known else (service_type,)


def versioned(url: str, version: str) -> str:
    """Return an endpoint with the version that our calls are written for.

    Catalogues have endpoints with it, without it, or with that of an older API; what comes after
    it, the project, stays. So the service need not be asked where its API is.
    """
    url = url.rstrip("/")
    if not version:
        return url
    scheme, _, rest = url.partition("://")
    found = _VERSION.search(rest)
    if found is None:
        return f"{url}/{version}"
    if found[1].split(".")[0] == version.split(".", maxsplit=1)[0]:
        return url
    return f"{scheme}://{rest[: found.start(1)]}{version}{rest[found.end(1) :]}"


@dataclass(frozen=True, slots=True, order=True)
class Microversion:
    """A version of single calls of an API."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> "Microversion":
        """Read "2.96". Raises ValueError."""
        major, _, minor = text.partition(".")
        return cls(int(major), int(minor))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"
