"""What is in the cloud after its installation: users, catalogue, flavors, image, networks."""

import json
import urllib.error
import urllib.request
from typing import Any, Final

from tests.cloud.box.places import KEYSTONE, PASSWORD, REGION, SERVICES, url

_CATALOGUE: Final = (
    ("glance", "glance", "image", ""),
    ("placement", "placement", "placement", ""),
    ("neutron", "neutron", "network", ""),
    ("nova", "nova", "compute", "/v2.1"),
    ("cinder", "cinder", "volumev3", "/v3/$(project_id)s"),
    ("cinder-bs", "cinder", "block-storage", "/v3/$(project_id)s"),
    ("barbican", "barbican", "key-manager", ""),
    ("swift", "swift", "object-store", "/v1/AUTH_$(project_id)s"),
    ("designate", "designate", "dns", ""),
    ("octavia", "octavia", "load-balancer", ""),
)
"""Names, services, types and paths of the endpoints."""

_ROLES: Final = (
    "service",
    "heat_stack_owner",
    "heat_stack_user",
    "creator",
    "load-balancer_member",
    "load-balancer_admin",
)
_USER_ROLES: Final = ("member", "heat_stack_owner", "creator", "load-balancer_member")
_FLAVORS: Final = (
    ("m1.nano", 64, 1, 0),
    ("m1.tiny", 512, 1, 1),
    ("m1.small", 2048, 1, 20),
    ("m1.medium", 4096, 2, 40),
    ("m1.large", 8192, 4, 80),
)


class Administrator:
    """Makes what is not there yet, as the cloud's administrator."""

    def __init__(self) -> None:
        self._token = ""
        domain = {"id": "default"}
        user = {"name": "admin", "domain": domain, "password": PASSWORD}
        asked = {
            "identity": {"methods": ["password"], "password": {"user": user}},
            "scope": {"project": {"name": "admin", "domain": domain}},
        }
        headers, _ = self.ask("POST", f"{KEYSTONE}/auth/tokens", {"auth": asked})
        self._token = headers["x-subject-token"]

    def ask(
        self,
        method: str,
        address: str,
        body: Any = None,
        kind: str = "application/json",
    ) -> tuple[dict[str, str], Any]:
        """Send a request; return headers and answer, None for what exists already."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        headers = {"Content-Type": kind, "X-Auth-Token": self._token}
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=60) as answer:
                content = answer.read()
                found = {name.lower(): text for name, text in answer.headers.items()}
                return found, json.loads(content) if content else {}
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 409:
                    return {}, None
                words = error.read()[:500].decode(errors="replace")
            raise RuntimeError(f"{method} {address}: {error.code} {words}") from None

    def fill_keystone(self) -> None:
        """Make roles, projects, users and the catalogue."""
        for role in _ROLES:
            self._create("roles", name=role)
        service = self._create("projects", name="service", domain_id="default")
        for name in (*SERVICES[1:], "heat"):
            self._user(name, service, "admin", "service")
        for name in ("demo", "alt"):
            project = self._create("projects", name=name, domain_id="default")
            self._user(name, project, *_USER_ROLES)
        admin = self._find("projects", "admin")
        for role in ("heat_stack_owner", "creator", "load-balancer_admin"):
            self._grant(f"projects/{admin}", self._find("users", "admin"), role)
        domain = self._create("domains", name="heat")
        user = self._create("users", name="heat_domain_admin", domain_id=domain, password=PASSWORD)
        self._grant(f"domains/{domain}", user, "admin")
        for name, of, kind, path in _CATALOGUE:
            made = self._create("services", name=name, type=kind)
            for interface in ("public", "internal", "admin"):
                endpoint = {
                    "service_id": made,
                    "interface": interface,
                    "region_id": REGION,
                    "url": url(of, path),
                }
                self.ask("POST", f"{KEYSTONE}/endpoints", {"endpoint": endpoint})

    def fill_services(self) -> None:
        """Make what templates refer to: an image, flavors, an external and a shared network."""
        image = {
            "name": "cirros",
            "disk_format": "raw",
            "container_format": "bare",
            "visibility": "public",
        }
        _, made = self.ask("POST", url("glance", "/v2/images"), image)
        file = url("glance", f"/v2/images/{made['id']}/file")
        self.ask("PUT", file, bytes(65536), "application/octet-stream")
        for number, (name, ram, vcpus, disk) in enumerate(_FLAVORS, 1):
            flavor = {"id": str(number), "name": name, "ram": ram, "vcpus": vcpus, "disk": disk}
            self.ask("POST", url("nova", "/v2.1/flavors"), {"flavor": flavor})
        self._network(
            {
                "name": "public",
                "router:external": True,
                "is_default": True,
                "provider:network_type": "flat",
                "provider:physical_network": "public",
            },
            {
                "name": "public-subnet",
                "cidr": "172.24.0.0/16",
                "gateway_ip": "172.24.0.1",
                "enable_dhcp": False,
                "allocation_pools": [{"start": "172.24.4.2", "end": "172.24.255.254"}],
            },
        )
        self._network(
            {"name": "private", "shared": True},
            {"name": "private-subnet", "cidr": "10.20.0.0/16"},
        )

    def _network(self, network: dict[str, Any], subnet: dict[str, Any]) -> None:
        _, made = self.ask("POST", url("neutron", "/v2.0/networks"), {"network": network})
        subnet = {**subnet, "network_id": made["network"]["id"], "ip_version": 4}
        self.ask("POST", url("neutron", "/v2.0/subnets"), {"subnet": subnet})

    def _create(self, plural: str, **body: str) -> str:
        _, made = self.ask("POST", f"{KEYSTONE}/{plural}", {plural[:-1]: body})
        return str(made[plural[:-1]]["id"]) if made else self._find(plural, body["name"])

    def _find(self, plural: str, name: str) -> str:
        _, found = self.ask("GET", f"{KEYSTONE}/{plural}?name={name}")
        return str(found[plural][0]["id"])

    def _user(self, name: str, project: str, *roles: str) -> None:
        user = self._create("users", name=name, domain_id="default", password=PASSWORD)
        for role in roles:
            self._grant(f"projects/{project}", user, role)

    def _grant(self, scope: str, user: str, role: str) -> None:
        found = self._find("roles", role)
        self.ask("PUT", f"{KEYSTONE}/{scope}/users/{user}/roles/{found}")
