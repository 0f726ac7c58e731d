"""A real Keystone with some people in it, and a server that asks it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.serving import Served, serving
from tests.cloud.box.control import up
from tests.identity.counting_proxy import CountingProxy, counting_proxy
from tests.identity.people import Keystone, Person, Project
from tests.identity.people import keystone as administrator

SERVER = """
[keystone]
auth_url = "{auth_url}"
username = "{user}"
password = "secret"
project_name = "{project}"
user_domain_name = "Default"
project_domain_name = "Default"
www_authenticate_uri = "http://keystone.example.org/v3"
"""


@dataclass(frozen=True, slots=True)
class Town:
    """Two projects with three people in the first one, a stranger and a server's own user."""

    first: Project
    second: Project
    member: Person
    reader: Person
    admin: Person
    """Of a project of their own."""

    stranger: Person
    """A member of the second project."""

    service: Person
    """Has the role service alone."""

    region: str


@pytest.fixture(scope="session", autouse=True)
def cloud() -> None:
    """Keystone runs; it is left running."""
    os.environ["no_proxy"] = "127.0.0.1"
    up(["keystone"])


@pytest.fixture(scope="session")
def keystone(cloud: None) -> Iterator[Keystone]:
    with administrator() as found:
        yield found


@pytest.fixture(scope="session")
def town(keystone: Keystone) -> Town:
    first, second = keystone.project("first"), keystone.project("second")
    own = keystone.project("own")
    region = f"region-{keystone.mark}"
    keystone.create("regions", id=region)
    return Town(
        first,
        second,
        keystone.person("member", first, "member"),
        keystone.person("reader", first, "reader"),
        keystone.person("admin", own, "admin"),
        keystone.person("stranger", second, "member"),
        keystone.person("hotplate", keystone.project("servers"), "service"),
        region,
    )


@pytest.fixture(scope="session")
def proxy(cloud: None) -> Iterator[CountingProxy]:
    with counting_proxy() as found:
        yield found


def configuration(folder: Path, town: Town, auth_url: str, more: str = "") -> Path:
    """Write the configuration of a server."""
    file = folder / "hotplate.toml"
    text = SERVER.format(
        auth_url=auth_url, user=town.service.name, project=town.service.project.name
    )
    file.write_text(text + more)
    file.chmod(0o600)
    return file


@pytest.fixture(scope="session")
def served(
    town: Town, proxy: CountingProxy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server that asks Keystone through the proxy."""
    file = configuration(tmp_path_factory.mktemp("server"), town, proxy.url)
    with serving("--config", str(file)) as server:
        yield server


class Client:
    """Sends requests with a token."""

    def __init__(self, served: Served, project: Project, token: str = "", **headers: str) -> None:
        self.project = project
        self._root = served.url
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        self.headers = {**({"x-auth-token": token} if token else {}), **named}

    def ask(self, method: str, path: str, project: Project | None = None, **more: Any) -> Any:
        address = f"{self._root}/v1/{(project or self.project).id}{path}"
        with httpx.Client(timeout=60, trust_env=False, headers=self.headers) as http:
            return http.request(method, address, **more)

    def get(self, path: str = "/stacks", project: Project | None = None) -> httpx.Response:
        answer = self.ask("GET", path, project)
        assert isinstance(answer, httpx.Response)
        return answer

    def status(self, path: str = "/stacks", project: Project | None = None) -> int:
        return self.get(path, project).status_code
