"""An orchestration service over HTTP: the real Heat or a real `hotplate serve`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import httpx
from keystoneauth1.identity.generic import Password
from keystoneauth1.session import Session

PATIENCE = 180
DEEPEST = 5
DELETED = "DELETE_COMPLETE"


class Refused(Exception):
    """The service did not take a request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Found:
    """A resource as the listing tells of it, with the stack that contains it."""

    stack: str
    name: str
    child: str | None
    row: Mapping[str, Any]


class Service:
    """What a case asks of a service.

    ``pause`` is how long to wait before looking again, ``settling`` how long it takes at most
    until it has begun what it says is in progress, and has heard a signal.
    """

    def __init__(self, endpoint: str, token: str, pause: float, settling: float) -> None:
        self.project = endpoint.rstrip("/").rpartition("/")[2]
        self._pause = pause
        self._settling = settling
        self._http = httpx.Client(
            base_url=endpoint,
            headers={"X-Auth-Token": token, "Accept": "application/json"},
            timeout=120,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a request. Raises Refused."""
        reply = self._http.request(method, path, json=None if body is None else dict(body))
        if reply.status_code >= 300:
            raise Refused(reply.status_code, _message(reply))
        return reply.json() if reply.content else None

    def create(self, body: Mapping[str, Any]) -> str:
        """Create a stack and return its id. Raises Refused.

        Heat sometimes answers with an internal error if several are created at once.
        """
        for tries_left in (2, 1, 0):
            try:
                return str(self.ask("POST", "/stacks", body)["stack"]["id"])
            except Refused as refusal:
                if refusal.status < 500 or not tries_left:
                    raise
        raise AssertionError

    def stack(self, name: str, stack_id: str) -> dict[str, Any]:
        """Return a stack with its outputs."""
        found: dict[str, Any] = self.ask("GET", f"/stacks/{name}/{stack_id}")["stack"]
        return found

    def resources(self, name: str, stack_id: str) -> Iterator[Found]:
        """Yield the resources of a stack and of those inside it, outer ones first.

        Heat shows no old versions that still have objects.
        """
        path = f"/stacks/{name}/{stack_id}/resources?nested_depth={DEEPEST}"
        for row in self.ask("GET", path)["resources"]:
            if row.get("is_old"):
                continue
            links = {link["rel"]: _stack_of(link["href"]) for link in row["links"]}
            yield Found(links["stack"], row["resource_name"], links.get("nested"), row)

    def by_path(self, name: str, stack_id: str) -> dict[str, Found]:
        """Return the resources by their paths: the names from the top on."""
        paths = {f"{name}/{stack_id}": ""}
        resources: dict[str, Found] = {}
        left = list(self.resources(name, stack_id))
        while left:
            known = [each for each in left if each.stack in paths]
            if not known:
                raise ValueError(f"no stack contains {left[0].name}")
            for each in known:
                parent = paths[each.stack]
                path = f"{parent}/{each.name}" if parent else each.name
                resources[path] = each
                if each.child is not None:
                    paths[each.child] = path
            left = [each for each in left if each not in known]
        return resources

    def shown(self, found: Found) -> dict[str, Any]:
        """Return a resource with its attributes."""
        path = f"/stacks/{found.stack}/resources/{found.name}"
        resource: dict[str, Any] = self.ask("GET", path)["resource"]
        return resource

    def metadata(self, found: Found) -> Any:
        """Return the metadata of a resource."""
        path = f"/stacks/{found.stack}/resources/{found.name}/metadata"
        return self.ask("GET", path)["metadata"]

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > end:
                raise TimeoutError(f"{what} has not come to pass in {PATIENCE} seconds")
            time.sleep(self._pause)

    def settle(self) -> None:
        """Give the service time for what it does without anybody being told."""
        time.sleep(self._settling)

    def is_at_rest(self, name: str, stack_id: str) -> bool:
        """Tell whether neither a stack nor anything in it is in progress."""
        status = self.stack(name, stack_id)["stack_status"]
        if status == DELETED:
            return True
        if status.endswith("_IN_PROGRESS"):
            return False
        found = self.resources(name, stack_id)
        return not any(each.row["resource_status"].endswith("_IN_PROGRESS") for each in found)


def heat(variables: Mapping[str, str]) -> Service:
    """Return the Heat that the usual OS_* variables describe."""
    auth = Password(
        auth_url=variables["OS_AUTH_URL"],
        username=variables["OS_USERNAME"],
        password=variables["OS_PASSWORD"],
        project_name=variables["OS_PROJECT_NAME"],
        user_domain_id=variables.get("OS_USER_DOMAIN_ID"),
        user_domain_name=variables.get("OS_USER_DOMAIN_NAME"),
        project_domain_id=variables.get("OS_PROJECT_DOMAIN_ID"),
        project_domain_name=variables.get("OS_PROJECT_DOMAIN_NAME"),
    )
    session = Session(auth=auth)
    endpoint = session.get_endpoint(service_type="orchestration", interface="public")
    return Service(str(endpoint), str(session.get_token()), pause=0.5, settling=3)


def _message(reply: httpx.Response) -> str:
    try:
        return str(reply.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return reply.text


def _stack_of(address: str) -> str:
    """Return ``name/id`` of the stack that an address leads to or into."""
    name, stack_id = address.partition("/stacks/")[2].split("/")[:2]
    return f"{unquote(name)}/{stack_id}"
