"""Users whom an identity provider knows, on a real Keystone: what they can do, and what not."""

from collections.abc import Iterator

import pytest

from tests.acceptance.serving import Served
from tests.identity.conftest import Client, Town
from tests.identity.people import Keystone
from tests.identity.stacks import GROUP_OF_VALUES, Stack


def name(keystone: Keystone) -> str:
    return f"fred-{keystone.mark}"


@pytest.fixture
def provider(keystone: Keystone, town: Town) -> Iterator[str]:
    """An identity provider whose users are members of the first project by a group."""
    group = keystone.create("groups", name=f"mapped-{keystone.mark}", domain_id="default")["id"]
    role = keystone.role("member")
    keystone.ask("PUT", f"/projects/{town.first.id}/groups/{group}/roles/{role}")
    with keystone.provider(group) as idp:
        yield idp
        for user in keystone.ask("GET", f"/users?name={name(keystone)}")["users"]:
            keystone.ask("DELETE", f"/users/{user['id']}")


def trusts(keystone: Keystone, user: str) -> int:
    return len(keystone.ask("GET", f"/OS-TRUST/trusts?trustor_user_id={user}")["trusts"])


def test_a_federated_user_has_stacks_and_is_told_what_will_not_work_later(
    served: Served, keystone: Keystone, town: Town, provider: str
) -> None:
    """Keystone makes no trust with roles of a group: an event says so, and what helps."""
    first, fred = town.first, name(keystone)
    client = Client(served, first, keystone.federated_token(provider, fred, first))
    stack = Stack(client, "federated", GROUP_OF_VALUES)
    stack.until(client, "CREATE_COMPLETE")
    assert client.get(stack.path).json()["stack"]["stack_owner"] == fred
    [user] = keystone.ask("GET", f"/users?name={name(keystone)}")["users"]
    events = client.get(f"{stack.path}/events").json()["events"]
    told = " ".join(each["resource_status_reason"] for each in events)
    assert f"there is no trust, because Keystone made none for the federated user {fred}: " in told
    assert "Could not find role" in told
    helps = f"openstack role add --user {user['id']} --project {first.id} member"
    assert helps in told
    assert trusts(keystone, user["id"]) == 0

    keystone.grant(user["id"], first, "member")
    again = Client(served, first, keystone.federated_token(provider, fred, first))
    assert again.ask("PATCH", stack.path, json={}).status_code == 202
    stack.until(again, "UPDATE_COMPLETE")
    assert trusts(keystone, user["id"]) == 1
    assert again.ask("DELETE", stack.path).status_code == 204
    stack.until(again, "", "DELETE_COMPLETE")
