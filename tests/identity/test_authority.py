"""Acting later, on a real Keystone and Neutron: with whose rights, and what if they are lost."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from hotplate.resources.catalogue import installed
from hotplate.server.access.type_services import needed_extension
from tests.acceptance.serving import Served, serving
from tests.cloud.box.control import up
from tests.cloud.box.places import url
from tests.identity.conftest import Client, Town, configuration
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person
from tests.identity.stacks import Stack, wait

NEUTRON = [name for name in installed() if name.startswith("OS::Neutron::")]
NET = {"type": "OS::Neutron::Net"}
TEMPLATE = {"heat_template_version": "2021-04-16", "resources": {"net": NET}}
SLOW = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "first": NET,
        "pause": {
            "type": "OS::Heat::Delay",
            "depends_on": "first",
            "properties": {"min_wait": 5},
        },
        "second": {**NET, "depends_on": "pause"},
    },
}
LONG = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "first": NET,
        "pause": {
            "type": "OS::Heat::Delay",
            "depends_on": "first",
            "properties": {"min_wait": 15},
        },
        "second": {**NET, "depends_on": "pause"},
    },
}
GROUP = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "group": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {"min_size": 1, "max_size": 3, "resource": NET},
        }
    },
}


@pytest.fixture(scope="module")
def acting(
    town: Town, proxy: CountingProxy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    up(["neutron"])
    # Trusts go before the server does: the last test of all counts them.
    # Other tests have regions of their own in the same catalogue.
    swept = 'region_name = "RegionOne"\n[authority]\nsweep_seconds = 1\n'
    file = configuration(tmp_path_factory.mktemp("acting"), town, proxy.url, swept)
    with serving("--config", str(file)) as server:
        yield server


def networks(keystone: Keystone, person: Person) -> list[Any]:
    headers = {"x-auth-token": keystone.token(person)}
    query = {"project_id": person.project.id}
    answer = httpx.get(
        url("neutron", "/v2.0/networks"), headers=headers, params=query, trust_env=False
    )
    return list(answer.json()["networks"])


def trusts_of(keystone: Keystone, person: Person) -> list[Any]:
    return list(keystone.ask("GET", f"/OS-TRUST/trusts?trustor_user_id={person.id}")["trusts"])


def enable(keystone: Keystone, person: Person, enabled: bool) -> None:
    keystone.ask("PATCH", f"/users/{person.id}", {"user": {"enabled": enabled}})


def test_objects_are_made_in_the_project_of_the_caller_and_cost_keystone_nothing(
    acting: Served, keystone: Keystone, town: Town, proxy: CountingProxy
) -> None:
    member = Client(acting, town.first, keystone.token(town.member))
    member.get()
    proxy.count()
    stack = Stack(member, "plain", TEMPLATE)
    stack.until(member, "CREATE_COMPLETE")
    [net] = networks(keystone, town.member)
    assert net["project_id"] == town.first.id
    assert member.ask("DELETE", stack.path).status_code == 204
    stack.until(member, "", "DELETE_COMPLETE")
    assert networks(keystone, town.member) == []
    assert proxy.asked == []


def test_types_are_listed_whose_extensions_neutron_has(
    acting: Served, keystone: Keystone, town: Town
) -> None:
    admin = keystone.person("lister", town.first, "admin")
    client = Client(acting, town.first, keystone.token(admin))
    headers = {"x-auth-token": keystone.token(admin)}
    told = httpx.get(url("neutron", "/v2.0/extensions"), headers=headers, trust_env=False).json()
    has = {each["alias"] for each in told["extensions"]}
    needed = {name: need for name in NEUTRON if (need := needed_extension(name)) is not None}
    wanted = {name for name, (_, _, alias) in needed.items() if alias in has}
    assert len(wanted) > 0
    listed = set(client.get("/resource_types").json()["resource_types"])
    assert listed & set(needed) == wanted
    for name in set(needed) - wanted:
        refused = client.get(f"/resource_types/{name}")
        assert refused.status_code == 400
        assert "in neutron service is not available" in refused.text


def test_work_of_a_disabled_user_waits_and_another_member_takes_it_over(
    acting: Served, keystone: Keystone, town: Town
) -> None:
    ann = keystone.person("ann", town.first, "member")
    bob = keystone.person("bob", town.first, "member")
    owner = Client(acting, town.first, keystone.token(ann))
    other = Client(acting, town.first, keystone.token(bob))
    stack = Stack(owner, "slow", SLOW)
    wait(lambda: "first" in str(other.get(f"{stack.path}/events").json()))
    wait(lambda: len(networks(keystone, bob)) == 1)
    enable(keystone, ann, False)
    # Neutron believes a token for up to 30 seconds; the update makes it ask in any case.
    stack.until(other, "CREATE_COMPLETE", "CREATE_IN_PROGRESS")
    wait(
        lambda: (
            stack.status(other) == "CREATE_COMPLETE"
            or stack.reason(other, "second").startswith("waits:")
        )
    )
    answer = other.ask("PATCH", stack.path, json={})
    assert answer.status_code == 202, answer.text
    stack.until(other, "UPDATE_COMPLETE")
    assert len(networks(keystone, bob)) == 2
    assert other.ask("DELETE", stack.path).status_code == 204
    stack.until(other, "", "DELETE_COMPLETE")
    assert networks(keystone, bob) == []


def test_a_group_gets_one_trust_and_an_application_credential_is_told(
    acting: Served, keystone: Keystone, town: Town, proxy: CountingProxy
) -> None:
    ann = keystone.person("eve", town.first, "member")
    owner = Client(acting, town.first, keystone.token(ann))
    owner.get()
    proxy.count()
    stacks = [Stack(owner, f"group-{number}", GROUP) for number in range(3)]
    asked = [each for each in proxy.asked if "OS-TRUST" in each]
    assert len(asked) == 1, proxy.asked
    assert len(trusts_of(keystone, ann)) == 1

    credential = keystone.application_credential(ann)
    delegated = Client(acting, town.first, keystone.token_of_credential(credential))
    last = Stack(delegated, "by-credential", GROUP)
    for stack in (*stacks, last):
        stack.until(owner, "CREATE_COMPLETE")
    told = str(delegated.get(f"{last.path}/events").json())
    assert "there is no trust, because an application credential" in told
    for stack in (*stacks, last):
        assert owner.ask("DELETE", stack.path).status_code == 204
    for stack in (*stacks, last):
        stack.until(owner, "", "DELETE_COMPLETE")
    assert networks(keystone, ann) == []
    wait(lambda: trusts_of(keystone, ann) == [])


def test_a_create_that_outlives_its_token_goes_on_with_a_service_token(
    acting: Served, keystone: Keystone, town: Town
) -> None:
    ann = keystone.person("zoe", town.first, "member")
    end = (datetime.now(UTC) + timedelta(seconds=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    credential = keystone.application_credential(ann, expires_at=end)
    token = keystone.token_of_credential(credential)
    owner = Client(acting, town.first, token)
    stack = Stack(owner, "long", LONG)
    watcher = Client(acting, town.first, keystone.token(ann))
    stack.until(watcher, "CREATE_COMPLETE", "CREATE_FAILED")
    assert stack.status(watcher) == "CREATE_COMPLETE"
    headers = {"x-auth-token": token}
    refused = httpx.get(url("neutron", "/v2.0/networks"), headers=headers, trust_env=False)
    assert refused.status_code == 401
    assert watcher.ask("DELETE", stack.path).status_code == 204
    stack.until(watcher, "", "DELETE_COMPLETE")
