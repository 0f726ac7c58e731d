"""What goes on after a request was answered: streams, guests, and trusts that others leave."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.acceptance.serving import Served, serving
from tests.identity.conftest import Client, Town, configuration
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person
from tests.identity.stacks import GROUP_OF_VALUES, Stack, wait

QUICK = """
remember_seconds = 1

[authority]
sweep_seconds = 1
"""
VALUE = {"type": "OS::Heat::Value", "properties": {"value": "x"}}


@pytest.fixture(scope="module")
def quick(
    town: Town, proxy: CountingProxy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server that forgets tokens, and what nobody needs, after a second."""
    file = configuration(tmp_path_factory.mktemp("quick"), town, proxy.url, QUICK)
    with serving("--config", str(file)) as server:
        yield server


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def test_a_stream_ends_when_its_token_is_revoked(
    quick: Served, keystone: Keystone, town: Town
) -> None:
    """Its last message is the refusal, and nothing that happens later is told."""
    token = keystone.token(town.member)
    reader = Client(quick, town.first, token)
    other = Client(quick, town.first, keystone.token(town.member))
    stack = Stack(other, "followed", template(a=VALUE))
    stack.until(other, "CREATE_COMPLETE")
    address = f"{quick.url}/v1/{town.first.id}{stack.path}/events/stream"
    with httpx.stream(
        "GET", address, headers=reader.headers, timeout=60, trust_env=False
    ) as answer:
        lines = answer.iter_lines()
        while "CREATE_COMPLETE" not in next(lines):
            pass
        keystone.revoke(token)
        wait(lambda: reader.status(stack.path) == 401)
        # Something happens: the stream need not wait for its next look.
        assert other.ask("PATCH", stack.path, json={}).status_code == 202
        rest = list(lines)
    assert "event: end" in rest
    assert '"code":401' in rest[rest.index("event: end") + 1]
    assert not any("UPDATE" in line for line in rest)
    assert other.ask("DELETE", stack.path).status_code == 204
    stack.until(other, "", "DELETE_COMPLETE")


@pytest.mark.parametrize("transport", ["CFN_SIGNAL", "HEAT_SIGNAL"])
def test_guests_report_without_a_user_in_keystone(
    quick: Served, keystone: Keystone, town: Town, proxy: CountingProxy, transport: str
) -> None:
    """A server fetches its software and reports by signed addresses.

    Keystone is asked for nothing but whose the member's token is.
    """
    proxy.count()
    member = Client(quick, town.first, keystone.token(town.member))
    server = {
        "type": "OS::Heat::DeployedServer",
        "properties": {"software_config_transport": "POLL_SERVER_HEAT"},
    }
    properties = {
        "server": {"get_resource": "server"},
        "signal_transport": transport,
        "input_values": {"a": "b"},
    }
    deployment = {"type": "OS::Heat::SoftwareDeployment", "properties": properties}
    where = {"get_attr": ["server", "os_collect_config", "request", "metadata_url"]}
    body = {**template(server=server, it=deployment), "outputs": {"where": {"value": where}}}
    stack = Stack(member, f"guest-{transport[:4].lower()}", body)

    def deployments() -> list[Any]:
        output = member.get(f"{stack.path}/outputs/where").json()["output"]["output_value"]
        if not output:
            return []
        found: list[Any] = as_guest(quick, "GET", output).json()["deployments"]
        return found

    wait(lambda: bool(deployments()))
    [one] = deployments()
    inputs = {each["name"]: each["value"] for each in one["inputs"]}
    assert "deploy_password" not in inputs
    report = as_guest(quick, "POST", inputs["deploy_signal_id"], {"deploy_status_code": 0})
    assert report.status_code == 200, report.text
    stack.until(member, "CREATE_COMPLETE")
    assert [each for each in proxy.asked if "/auth/tokens" not in each] == []
    assert member.ask("DELETE", stack.path).status_code == 204
    stack.until(member, "", "DELETE_COMPLETE")


def as_guest(served: Served, method: str, address: str, body: Any = None) -> httpx.Response:
    """Ask without a token."""
    whole = urlsplit(address)
    return httpx.request(
        method, f"{served.url}{whole.path}?{whole.query}", json=body, trust_env=False, timeout=60
    )


def test_who_retries_and_rolls_back_leaves_a_trust_and_none_is_left_in_the_end(
    quick: Served, keystone: Keystone, town: Town
) -> None:
    """Trusts are counted in Keystone: one for each of those who let the stack go on."""
    gus, hal, ida = (keystone.person(name, town.first, "member") for name in ("gus", "hal", "ida"))

    def trusts(person: Person) -> int:
        query = f"/OS-TRUST/trusts?trustor_user_id={person.id}"
        return len(keystone.ask("GET", query)["trusts"])

    def client(person: Person) -> Client:
        return Client(quick, town.first, keystone.token(person))

    handle = {"type": "OS::Heat::WaitConditionHandle"}
    late = {
        "type": "OS::Heat::WaitCondition",
        "properties": {"handle": {"get_resource": "handle"}, "timeout": 1},
    }
    group = GROUP_OF_VALUES["resources"]
    assert isinstance(group, dict)
    owner = client(gus)
    stack = Stack(owner, "taken-over", template(**group))
    stack.until(owner, "CREATE_COMPLETE")
    assert trusts(gus) == 1
    changed = {"template": template(**group, handle=handle, late=late)}
    assert owner.ask("PUT", stack.path, json=changed).status_code == 202
    stack.until(owner, "UPDATE_FAILED")

    retrying = client(hal)
    assert retrying.ask("POST", f"{stack.path}/actions", json={"retry": None}).status_code == 200
    assert trusts(hal) == 1
    stack.until(retrying, "UPDATE_FAILED")
    returning = client(ida)
    answer = returning.ask("POST", f"{stack.path}/actions", json={"rollback": None})
    assert answer.status_code == 200, answer.text
    assert trusts(ida) == 1
    stack.until(returning, "ROLLBACK_COMPLETE")
    # Nothing of theirs is used any more: only the last one is.
    wait(lambda: (trusts(gus), trusts(hal), trusts(ida)) == (0, 0, 1))
    assert owner.ask("DELETE", stack.path).status_code == 204
    stack.until(owner, "", "DELETE_COMPLETE")
    wait(lambda: trusts(ida) == 0)
    assert trusts(gus) == 0
