"""Where the test cloud is: its folder, its ports and its addresses.

Standard library only: the services import it in an environment of their own.
"""

import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]

_CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
CLOUD: Final = Path(os.environ.get("CLOUD_DIR") or _CACHE / "hotplate" / "cloud")
"""Everything that the cloud writes, its Python environment included."""

VENV: Final = CLOUD / "venv"
PYTHON: Final = VENV / "bin" / "python"
ETC: Final = CLOUD / "etc"
VAR: Final = CLOUD / "var"
RUN: Final = CLOUD / "run"
LOG: Final = CLOUD / "log"
PRISTINE: Final = CLOUD / "pristine"
"""A copy of VAR as it is right after the installation, to reset from."""

SOCKET: Final = RUN / "db.sock"

PORTS: Final = {
    "keystone": 15000,
    "placement": 18778,
    "glance": 19292,
    "neutron": 19696,
    "nova": 18774,
    "cinder": 18776,
    "barbican": 19311,
    "swift": 18080,
    "designate": 19001,
    "octavia": 19876,
}
"""The services, in the order in which they start. The catalogue has these ports too."""

SERVICES: Final = tuple(PORTS)
NEEDS: Final = {
    "nova": ("placement", "glance", "neutron"),
    "octavia": ("neutron",),
    "cinder": ("glance",),
}
"""The services that one needs to work, besides Keystone."""

NAME_SERVER_PORT: Final = 15354
SWIFT_PORTS: Final = {"account": 16202, "container": 16201, "object": 16200}
PASSWORD: Final = "secret"
REGION: Final = "RegionOne"


def url(service: str, path: str = "") -> str:
    """Return the address of a service, with a path."""
    return f"http://127.0.0.1:{PORTS[service]}{path}"


KEYSTONE: Final = url("keystone", "/v3")


def database_url(name: str) -> str:
    """Return where a service finds its database."""
    return f"mysql+pymysql://cloud:cloud@localhost/{name}?unix_socket={SOCKET}"


def credentials(user: str = "demo") -> dict[str, str]:
    """Return the OS_* variables of a user, in the project of the same name."""
    return {
        "OS_AUTH_URL": KEYSTONE,
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": user,
        "OS_PROJECT_NAME": user,
        "OS_PASSWORD": PASSWORD,
        "OS_USER_DOMAIN_NAME": "Default",
        "OS_PROJECT_DOMAIN_NAME": "Default",
        "OS_REGION_NAME": REGION,
        "OS_INTERFACE": "public",
    }
