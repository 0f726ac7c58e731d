"""Where the API is: a server that was named, one that runs here, or this process itself."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlsplit

from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.server import CannotStart, Configuration, configure, recorded_server

PROJECT = "default"
EMBEDDED = "http://hotplate.embedded"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user said of it; empty for nothing."""

    url: str = ""
    token: str = ""
    project: str = ""
    database: str = ""
    cloud: str = ""
    objects: str = ""
    orchestration: bool = False
    """Ask the cloud's own orchestration service."""


@dataclass(frozen=True, slots=True)
class Place:
    """The address of a project, and how to get in.

    With ``embedded`` there is no server: the application runs in this process on that database.
    """

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)
    embedded: Configuration | None = None
    is_database_named: bool = False
    auth: Any = None
    """What signs requests in the way of httpx, if a header does not do."""


def place_of(wanted: Wanted, environ: Mapping[str, str] | None = None) -> Place:
    """Return where to go: the nearest of what was named. Raises Stop.

    A flag beats an environment variable; ``--url`` and ``--database`` beat all clouds. A cloud is
    where the objects are made; its own orchestration service is asked only if that is said, or if
    there is nothing but its address.
    """
    environ = os.environ if environ is None else environ
    token = wanted.token or environ.get("HOTPLATE_TOKEN", "")
    if wanted.url:
        return _server(wanted.url, token or environ.get("OS_TOKEN", ""), wanted, environ)
    if not wanted.database and not wanted.cloud and environ.get("HOTPLATE_URL"):
        return _server(environ["HOTPLATE_URL"], token, wanted, environ)
    if not wanted.database and (wanted.cloud or wanted.orchestration or _names_a_cloud(environ)):
        from hotplate.cli.session.openstack_settings import cloud_place  # few need it

        place = cloud_place(wanted.cloud, wanted.project, environ, wanted.orchestration)
        if place is not None:
            return place
    return _local(token, wanted, environ)


def _names_a_cloud(environ: Mapping[str, str]) -> bool:
    return any(environ.get(name) for name in ("OS_CLOUD", "OS_AUTH_URL", "OS_ENDPOINT"))


def _server(url: str, token: str, wanted: Wanted, environ: Mapping[str, str]) -> Place:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.query or parts.fragment:
        raise Stop(f'"{url}" is not the address of a server', Code.USAGE, "write http://HOST:8004")
    path = parts.path.rstrip("/")
    root, version, below = path.partition("/v1")
    if not version:
        root, below = path, ""
    project = wanted.project or below.strip("/") or _project(environ)
    base = f"{parts.scheme}://{parts.netloc}{root}/v1/{quote(project, safe='~')}"
    return Place(base, {"x-auth-token": token} if token else {})


def _local(token: str, wanted: Wanted, environ: Mapping[str, str]) -> Place:
    try:
        flags = {"database": wanted.database, "objects": wanted.objects}
        configuration = configure(flags, environ)
        # Who works on an own machine uses the only cloud of clouds.yaml without naming it.
        cloud = wanted.cloud or configuration.os_cloud or ""
        configuration = replace(configuration, os_cloud=cloud)
    except CannotStart as fault:
        raise Stop(str(fault), Code.USAGE if fault.code == 2 else Code.FAILED) from None
    project = quote(wanted.project or _project(environ), safe="~")
    server = recorded_server(configuration.database)
    if server is None:
        return Place(
            f"{EMBEDDED}/v1/{project}",
            embedded=configuration,
            is_database_named=bool(wanted.database),
        )
    if server.needs_token and not token:
        raise Stop(
            f"the server at {server.url} works on this database and wants a token",
            Code.REFUSED,
            "set HOTPLATE_TOKEN, or say --token",
        )
    return Place(f"{server.url}/v1/{project}", {"x-auth-token": token} if token else {})


def _project(environ: Mapping[str, str]) -> str:
    return environ.get("HOTPLATE_PROJECT") or environ.get("OS_PROJECT_ID") or PROJECT
