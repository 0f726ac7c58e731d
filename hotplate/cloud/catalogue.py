"""The service catalogue that comes with a token: where each service answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hotplate.cloud.errors import NoEndpoint
from hotplate.cloud.services import KINDS, official, types_of, versioned
from hotplate.cloud.settings import CloudSettings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address of a service."""

    service_type: str
    region: str
    interface: str
    url: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The endpoints of a cloud, as Keystone lists them for one project."""

    endpoints: tuple[Endpoint, ...] = ()

    @classmethod
    def parse(cls, document: Sequence[Mapping[str, Any]]) -> "Catalogue":
        """Read the catalogue of a v3 token."""
        return cls(
            tuple(
                Endpoint(
                    str(service.get("type") or ""),
                    str(each.get("region_id") or each.get("region") or ""),
                    str(each.get("interface") or ""),
                    str(each.get("url") or ""),
                )
                for service in document
                for each in service.get("endpoints") or ()
            )
        )

    def of_region(self, region: str) -> "Catalogue":
        """Return the endpoints of one region only; all of them if none is named."""
        if not region:
            return self
        return Catalogue(tuple(each for each in self.endpoints if each.region == region))

    def has(self, service_type: str, settings: CloudSettings) -> bool:
        """Return whether there is a service in the region and for the interface of the settings."""
        try:
            self.url(service_type, settings, "")
        except NoEndpoint:
            return False
        return True

    def url(self, service_type: str, settings: CloudSettings, project_id: str) -> str:
        """Return the address below which the API of a service is. Raises NoEndpoint."""
        kind = official(service_type)
        version = KINDS[kind].version if kind in KINDS else ""
        url = _override(kind, settings) or self._listed(kind, settings)
        for word in ("%(project_id)s", "%(tenant_id)s", "$(project_id)s", "$(tenant_id)s"):
            url = url.replace(word, project_id)
        return versioned(url, version)

    def _listed(self, kind: str, settings: CloudSettings) -> str:
        chosen = settings.of_service(kind, "service_type")
        names = (chosen,) if chosen else types_of(kind)
        interface = settings.of_service(kind, "interface") or settings.interface
        region = settings.of_service(kind, "region_name") or settings.region
        for name in names:
            found = [each for each in self.endpoints if each.service_type == name]
            fitting = [
                each
                for each in found
                if each.interface == interface and region in ("", each.region)
            ]
            if fitting:
                return fitting[0].url
        raise NoEndpoint(self._missing(kind, names, region, interface), kind)

    def _missing(self, kind: str, names: Sequence[str], region: str, interface: str) -> str:
        found = [each for each in self.endpoints if each.service_type in names]
        if not found:
            known = ", ".join(sorted({each.service_type for each in self.endpoints}))
            return f"the cloud has no {kind} service; its catalogue has {known or 'nothing'}"
        regions = sorted({each.region for each in found})
        if region and region not in regions:
            return f'there is no region "{region}"; the service is in {", ".join(regions)}'
        interfaces = sorted({each.interface for each in found})
        return f"there is no {interface} endpoint; there are {', '.join(interfaces)}"


def _override(kind: str, settings: CloudSettings) -> str:
    for name in types_of(kind):
        if found := settings.of_service(name, "endpoint_override") or settings.of_service(
            name, "endpoint"
        ):
            return found
    return ""
