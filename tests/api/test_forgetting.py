"""What cannot be deleted can be forgotten: the stack goes on without it, its object stays."""

from typing import Any

import httpx
import pytest

from hotplate.resources import (
    Done,
    Property,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
)
from hotplate.resources.capabilities import Findable
from tests.api.conftest import Api
from tests.api.external.outside import events
from tests.api.trees import begin, changed, deleted, made


class Stuck(ResourceType):
    """Something whose provider is away when it shall be deleted."""

    name = "Test::Stuck"
    properties = {"value": Property(default="")}

    def __init__(self) -> None:
        self.is_away = True
        self.present: set[str] = set()

    async def create(self, resource: Resource) -> Result:
        physical_id = f"object-{resource.creation_token}"
        self.present.add(physical_id)
        return Done(physical_id)

    async def delete(self, resource: Resource) -> Result:
        if self.is_away:
            raise ResourceFailed("the provider is away")
        self.present.discard(resource.physical_id or "")
        return Done()


class Lost(Findable):
    """Something of which nobody can tell whether it was made."""

    name = "Test::Lost"

    async def create(self, resource: Resource) -> Result:
        raise OSError("the line went dead")

    async def find(self, resource: Resource) -> str | None:
        raise OSError("the provider is away")


@pytest.fixture
def stuck() -> Stuck:
    return Stuck()


@pytest.fixture
def api_types(stuck: Stuck) -> tuple[ResourceType, ...]:
    return (stuck, Lost())


def body(**resources: Any) -> dict[str, Any]:
    return {"template": {"heat_template_version": "2021-04-16", "resources": resources}}


STUCK = {"type": "Test::Stuck"}


def failed_deletion(api: Api, path: str) -> None:
    assert api.delete(path).status_code == 204
    assert api.wait(path.rsplit("/", 1)[1]) == "DELETE_FAILED"


def forget(api: Api, path: str, name: str) -> httpx.Response:
    return api.post(f"{path}/resources/{name}/forget")


def test_a_stack_goes_without_what_cannot_be_deleted(api: Api, stuck: Stuck) -> None:
    path = made(api, "s", body(a=STUCK, b={"type": "OS::Heat::None", "depends_on": "a"}))
    physical_id = api.get(f"{path}/resources/a").json()["resource"]["physical_resource_id"]
    failed_deletion(api, path)
    answer = forget(api, path, "a")
    assert answer.status_code == 200, answer.text
    (left,) = answer.json()["forgotten"]
    assert left["physical_resource_id"] == physical_id
    assert (left["resource_name"], left["resource_type"]) == ("a", "Test::Stuck")
    assert api.get(path).json()["stack"]["stack_status"] == "DELETE_FAILED"
    status, reason = events(api, path, "a")[-1]
    assert status == "DELETE_COMPLETE"
    assert reason == f"forgotten: {physical_id} was not deleted and belongs to nobody now"
    planned = api.get(f"{path}/deletion").json()["deletion"]
    assert [each["path"] for each in planned] == []
    deleted(api, path)
    assert stuck.present == {physical_id}


def test_an_old_object_that_cannot_be_deleted_need_not_hold_an_update_up(
    api: Api, stuck: Stuck
) -> None:
    path = made(api, "s", body(a=STUCK))
    wanted = body(a={**STUCK, "properties": {"value": "new"}})
    changed(api, path, wanted, "UPDATE_FAILED", put=True)
    (old, new) = sorted(stuck.present, key=lambda each: each == _shown(api, path, "a"))
    assert [
        each["physical_resource_id"] for each in forget(api, path, "a").json()["forgotten"]
    ] == [old]
    assert api.post(f"{path}/actions", json={"retry": None}).status_code == 200
    assert api.wait(path.rsplit("/", 1)[1]) == "UPDATE_COMPLETE"
    assert _shown(api, path, "a") == new
    stuck.is_away = False
    deleted(api, path)
    assert stuck.present == {old}


def _shown(api: Api, path: str, name: str) -> str:
    found: str = api.get(f"{path}/resources/{name}").json()["resource"]["physical_resource_id"]
    return found


def test_what_cannot_even_be_looked_for_is_forgotten_with_its_mark(api: Api) -> None:
    path = made(api, "s", body(a={"type": "Test::Lost"}), "CREATE_FAILED")
    assert forget(api, path, "a").status_code == 400
    failed_deletion(api, path)
    (left,) = forget(api, path, "a").json()["forgotten"]
    assert left["physical_resource_id"] == ""
    assert "look for an orphan with the creation token" in left["resource_status_reason"]
    deleted(api, path)


def test_what_is_inside_another_stack_is_forgotten_there(api: Api, stuck: Stuck) -> None:
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 2, "resource_def": STUCK},
    }
    path = made(api, "s", body(group=group))
    failed_deletion(api, path)
    answer = forget(api, path, "group")
    assert answer.status_code == 400
    assert "Forget what could not be deleted inside it" in answer.text
    tree = api.get(f"{path}/resources?nested_depth=1").json()["resources"]
    members = [each for each in tree if each["resource_type"] == "Test::Stuck"]
    failed = [each for each in members if each["resource_status"] == "DELETE_FAILED"]
    for each in failed:
        link = next(link["href"] for link in each["links"] if link["rel"] == "self")
        assert api.post(f"{link}/forget").status_code == 200
    stuck.is_away = False
    deleted(api, path)
    assert len(stuck.present) == len(failed)


def test_only_what_could_not_be_deleted_is_forgotten(api: Api, stuck: Stuck) -> None:
    path = made(api, "s", body(a=STUCK, b={"type": "OS::Heat::None"}))
    answer = forget(api, path, "a")
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message.startswith(
        "Forgetting a resource whose deletion has not failed is not supported"
    )
    assert forget(api, path, "nobody").status_code == 404
    failed_deletion(api, path)
    elsewhere = httpx.AsyncClient(
        transport=httpx.ASGITransport(api.app), base_url="http://testserver/v1/elsewhere"
    )
    answer = api.run(elsewhere.post(f"{path}/resources/a/forget"))
    api.run(elsewhere.aclose())
    assert answer.status_code == 404
    assert len(stuck.present) == 1
    assert forget(api, path, "a").status_code == 200
    assert forget(api, path, "a").status_code == 400


def test_nothing_is_forgotten_while_it_is_worked_on(api: Api, stuck: Stuck) -> None:
    slow = {"type": "OS::Heat::TestResource", "properties": {"action_wait_secs": {"create": 3600}}}
    path, _ = begin(api, "s", body(a=slow))
    assert forget(api, path, "a").status_code == 409
    stuck.is_away = False
    deleted(api, path)


def test_a_stack_that_could_not_be_deleted_says_what_can_be_done(api: Api, stuck: Stuck) -> None:
    path = made(api, "s", body(a=STUCK))
    failed_deletion(api, path)
    answer = api.put(path, json=body(a=STUCK))
    assert answer.status_code == 400
    assert "Updating a stack when it is deleting is not supported" in answer.text
    assert "forget what cannot be deleted" in answer.text


def test_a_stack_can_be_abandoned_while_it_is_being_deleted(api: Api) -> None:
    slow = {"type": "OS::Heat::TestResource", "properties": {"action_wait_secs": {"delete": 3600}}}
    template = {"heat_template_version": "2021-04-16", "resources": {"slow": slow}}
    answer = api.post("/stacks", json={"stack_name": "slow", "template": template})
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/slow/{stack_id}"
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    assert api.delete(path).status_code == 204
    assert api.get(path).json()["stack"]["stack_status"] == "DELETE_IN_PROGRESS"
    answer = api.delete(f"{path}/abandon")
    assert answer.status_code == 200, answer.text
    assert api.get("/stacks").json() == {"stacks": []}
    left = api.get(path).json()["stack"]
    assert left["stack_status"] == "DELETE_COMPLETE"
    assert "abandoned" in left["stack_status_reason"]
    # The name is free again, and what the delete had in hand harms nobody.
    answer = api.post("/stacks", json={"stack_name": "slow", "template": template})
    assert api.wait(answer.json()["stack"]["id"]) == "CREATE_COMPLETE"


@pytest.mark.parametrize("is_made", [True, False])
def test_a_tree_can_be_abandoned_while_it_is_being_deleted(api: Api, is_made: bool) -> None:
    """Also if the delete came while something in it was still being made."""
    waits = {"create": 0 if is_made else 3600, "delete": 3600}
    member = {"type": "OS::Heat::TestResource", "properties": {"action_wait_secs": waits}}
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 2, "resource_def": member},
    }
    template = {"heat_template_version": "2021-04-16", "resources": {"group": group}}
    answer = api.post("/stacks", json={"stack_name": "tree", "template": template})
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/tree/{stack_id}"
    if is_made:
        assert api.wait(stack_id) == "CREATE_COMPLETE"
    else:
        # What is only listed may never be begun: the delete would be done before it is abandoned.
        api.until(lambda: _being_made(api, stack_id), lambda found: found == 2)
    assert api.delete(path).status_code == 204
    answer = api.delete(f"{path}/abandon")
    assert answer.status_code == 200, answer.text
    assert api.get("/stacks?show_nested=true").json() == {"stacks": []}
    assert api.post("/stacks", json={"stack_name": "tree", "template": template}).is_success


async def _being_made(api: Api, stack_id: str) -> int:
    found = await api.client.get(f"/stacks/tree/{stack_id}/resources?nested_depth=1")
    return sum(
        (each["resource_type"], each["resource_status"])
        == ("OS::Heat::TestResource", "CREATE_IN_PROGRESS")
        for each in found.json()["resources"]
    )
