"""Stacks in another region, found in a real catalogue, and by secrets of a real Barbican."""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.acceptance.serving import Served, serving
from tests.cloud.box.control import up
from tests.cloud.box.places import KEYSTONE, url
from tests.identity.conftest import Client, Town, configuration
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person

PATIENCE = 60.0
INNER = {
    "heat_template_version": "2021-04-16",
    "resources": {"r": {"type": "OS::Heat::RandomString", "properties": {"length": 7}}},
    "outputs": {"o": {"value": {"get_attr": ["r", "value"]}}},
}


class Far:
    """A second server with a database of its own, and the region in which the catalogue has it."""

    def __init__(self, served: Served, region: str) -> None:
        self.served = served
        self.region = region

    def stacks(self, keystone: Keystone, person: Person) -> list[str]:
        """Return the names of the stacks in a person's project."""
        client = Client(self.served, person.project, keystone.token(person))
        return [each["stack_name"] for each in client.get().json()["stacks"]]


@pytest.fixture(scope="module")
def far(
    keystone: Keystone,
    town: Town,
    proxy: CountingProxy,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Far]:
    region = f"far-{keystone.mark}"
    keystone.create("regions", id=region)
    service = keystone.create("services", name="far", type="orchestration")
    file = configuration(tmp_path_factory.mktemp("far"), town, proxy.url)
    with serving("--config", str(file)) as server:
        keystone.create(
            "endpoints",
            service_id=service["id"],
            interface="public",
            region_id=region,
            url=f"{server.url}/v1/%(project_id)s",
        )
        yield Far(server, region)


@contextmanager
def secret(keystone: Keystone, person: Person, payload: str, **how: str) -> Iterator[str]:
    """Keep something in Barbican for the length of a block; gives its id."""
    headers = {"x-auth-token": keystone.token(person)}
    with httpx.Client(timeout=60, trust_env=False, headers=headers) as http:
        given = {"payload": payload, "payload_content_type": "text/plain", **how}
        answer = http.post(url("barbican", "/v1/secrets"), json=given)
        assert answer.status_code == 201, answer.text
        address = answer.json()["secret_ref"]
        yield address.rpartition("/")[2]
        assert http.delete(address).status_code == 204


@pytest.fixture(scope="module")
def keeper(keystone: Keystone, town: Town) -> Person:
    """A member of the first project who may keep secrets."""
    up(["barbican"])
    return keystone.person("keeper", town.first, "member", "creator")


@pytest.fixture
def credential(
    keystone: Keystone, town: Town, proxy: CountingProxy, keeper: Person
) -> Iterator[str]:
    """A secret of the keeper's with which one is the stranger, of the second project."""
    with secret(keystone, keeper, written(keystone, town.stranger, proxy.url)) as found:
        yield found


def written(keystone: Keystone, person: Person, auth_url: str) -> str:
    made = keystone.application_credential(person)
    auth = {
        "auth_url": auth_url,
        "application_credential_id": made["id"],
        "application_credential_secret": made["secret"],
    }
    return json.dumps({"auth_type": "v3applicationcredential", "auth": auth})


def body(name: str, **context: Any) -> dict[str, Any]:
    properties = {"template": json.dumps(INNER), "context": context}
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {"s": {"type": "OS::Heat::Stack", "properties": properties}},
        "outputs": {"o": {"value": {"get_attr": ["s", "outputs", "o"]}}},
    }
    return {"stack_name": name, "template": template}


def make(client: Client, given: dict[str, Any]) -> tuple[str, str]:
    """Make a stack and return its path and what its output is when it is complete."""
    answer = client.ask("POST", "/stacks", json=given)
    assert answer.status_code == 201, answer.text
    path = f"/stacks/{given['stack_name']}/{answer.json()['stack']['id']}"
    stack = until(client, path, "CREATE_COMPLETE")
    return path, stack["outputs"][0]["output_value"]


def until(client: Client, path: str, wanted: str) -> dict[str, Any]:
    end = time.monotonic() + PATIENCE
    while True:
        answer = client.get(path)
        stack: dict[str, Any] = answer.json().get("stack", {})
        status = stack.get("stack_status", "DELETE_COMPLETE")
        if status == wanted:
            return stack
        assert not status.endswith("FAILED"), stack
        assert time.monotonic() < end, stack
        time.sleep(0.2)


def remove(client: Client, path: str) -> None:
    assert client.ask("DELETE", path).status_code == 204
    until(client, path, "DELETE_COMPLETE")


def refusal(client: Client, given: dict[str, Any]) -> str:
    answer = client.ask("POST", "/stacks", json=given)
    assert answer.status_code == 400, answer.text
    return str(answer.json()["error"]["message"])


def test_a_region_of_the_catalogue_gets_the_stack_with_the_rights_of_the_caller(
    served: Served, far: Far, keystone: Keystone, town: Town
) -> None:
    member = Client(served, town.first, keystone.token(town.member))
    path, output = make(member, body("outer", region_name=far.region))
    assert len(output) == 7
    (inner,) = far.stacks(keystone, town.member)
    assert inner.startswith("outer-s-")
    assert far.stacks(keystone, town.stranger) == []
    remove(member, path)
    assert far.stacks(keystone, town.member) == []


def test_a_region_that_the_catalogue_lacks_and_a_template_that_it_refuses_are_told_at_once(
    served: Served, far: Far, keystone: Keystone, town: Town
) -> None:
    member = Client(served, town.first, keystone.token(town.member))
    assert (
        'Cannot establish connection to Heat endpoint at region "nowhere" due to '
        '"public endpoint for orchestration service in nowhere region not found"'
    ) in refusal(member, body("lost", region_name="nowhere"))
    given = body("bad", region_name=far.region)
    properties = given["template"]["resources"]["s"]["properties"]
    properties["template"] = json.dumps({**INNER, "resources": {"r": {"type": "No::Such"}}})
    said = refusal(member, given)
    assert f'using Heat endpoint at region "{far.region}" due to "ERROR: ' in said
    assert "No::Such" in said


def test_a_secret_makes_the_stack_with_the_rights_of_its_credential(
    served: Served, far: Far, keystone: Keystone, town: Town, keeper: Person, credential: str
) -> None:
    client = Client(served, town.first, keystone.token(keeper))
    context = {"credential_secret_id": credential, "region_name": far.region}
    path, output = make(client, body("lent", **context))
    assert len(output) == 7
    assert far.stacks(keystone, keeper) == []
    assert len(far.stacks(keystone, town.stranger)) == 1
    remove(client, path)
    assert far.stacks(keystone, town.stranger) == []


def test_a_secret_is_of_no_use_to_those_who_cannot_read_it(
    served: Served, far: Far, keystone: Keystone, town: Town, credential: str
) -> None:
    other = Client(served, town.second, keystone.token(town.stranger))
    context = {"credential_secret_id": credential, "region_name": far.region}
    said = refusal(other, body("stolen", **context))
    assert "Cannot establish connection to Heat endpoint at remote cloud due to" in said
    assert far.stacks(keystone, town.stranger) == []


def test_a_secret_for_a_keystone_that_the_operator_does_not_name_is_refused(
    served: Served, far: Far, keystone: Keystone, town: Town, keeper: Person
) -> None:
    client = Client(served, town.first, keystone.token(keeper))
    text = written(keystone, town.stranger, KEYSTONE)
    as_bytes = {
        "payload_content_type": "application/octet-stream",
        "payload_content_encoding": "base64",
    }
    for payload, how in ((text, {}), (base64.b64encode(text.encode()).decode(), as_bytes)):
        with secret(keystone, keeper, payload, **how) as kept:
            context = {"credential_secret_id": kept, "region_name": far.region}
            said = refusal(client, body("abroad", **context))
        assert "Cannot establish connection to Heat endpoint at remote cloud due to" in said
        assert "remote_auth_urls" in said
        assert "application_credential" not in said
