"""External resources over the wire: many may read an object, one resource manages it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import Api
from tests.api.external.outside import (
    FILE,
    Outside,
    body,
    events,
    file,
    outputs,
    preview,
    shown,
    watched,
)
from tests.api.trees import changed, deleted, made


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def managed(api: Api, name: str = "s", content: str = "ours") -> tuple[str, str]:
    """Make a stack that manages an object; return its path and the id of that."""
    path = made(api, name, body(file(content=content)))
    return path, shown(api, path)["physical_resource_id"]


def test_what_another_stack_manages_may_be_read(api: Api, outside: Outside) -> None:
    manager, web = managed(api)
    wanted = body(file(web))
    planned = api.post("/stacks/preview", json={"stack_name": "t", **wanted}).json()["stack"]
    assert planned["resources"][0]["reason"] == f"adopt {web}"
    outside.since()
    reader = made(api, "t", wanted)
    assert outputs(api, reader) == {"content": "ours", "id": web}
    changed(api, manager, body(file(content="changed")), put=True)
    assert outputs(api, reader)["content"] == "changed"
    deleted(api, reader)
    assert outside.content(web) == "changed"
    assert outside.since() == [("replace", web)]


def test_what_another_resource_of_the_stack_manages_may_be_read(api: Api, outside: Outside) -> None:
    path, web = managed(api)
    changed(api, path, body(file(content="ours"), reader=file(web)), put=True)
    found = shown(api, path, "reader")
    assert (found["physical_resource_id"], found["is_external"]) == (web, True)
    assert shown(api, path)["is_external"] is False
    by_reference = file({"get_resource": "web"})
    changed(api, path, body(file(content="ours"), reader=by_reference), put=True)
    assert shown(api, path, "reader")["physical_resource_id"] == web
    deleted(api, path)
    assert outside.ids == set()


def test_a_manager_that_deletes_what_others_read_does_not_mind_and_a_check_says_so(
    api: Api, outside: Outside
) -> None:
    manager, web = managed(api)
    reader = made(api, "t", body(file(web)))
    deleted(api, manager)
    assert outside.ids == set()
    # The last known values are used, and other updates go on.
    assert outputs(api, reader)["content"] == "ours"
    changed(api, reader, body(file(web), other=file(content="other")), put=True)
    assert api.post(f"{reader}/actions", json={"check": None}).status_code == 200
    assert api.wait(reader.rsplit("/", 1)[1]) == "CHECK_FAILED"
    assert f"there is no object {web}" in shown(api, reader)["resource_status_reason"]


def test_a_manager_that_replaces_what_others_read_does_not_mind_either(
    api: Api, outside: Outside
) -> None:
    manager, web = managed(api)
    reader = made(api, "t", body(file(web)))
    changed(api, manager, body(file(content="ours", kind="disk")), put=True)
    assert outside.ids == {shown(api, manager)["physical_resource_id"]}
    # The reader may have a new object of its own, or read the one that took its place.
    changed(api, reader, body(file(shown(api, manager)["physical_resource_id"])), put=True)
    assert outputs(api, reader)["content"] == "ours"


def test_what_another_stack_manages_cannot_be_managed_as_well(api: Api, outside: Outside) -> None:
    manager, web = managed(api)
    reader = made(api, "t", body(file(web)))
    says = f'{web} is managed by the resource "web" of the stack "s"; hand it over there first'
    (planned,) = preview(api, reader, body(file(content="mine")))["updated"]
    assert planned["reason"].endswith(says)
    changed(api, reader, body(file(content="mine")), "UPDATE_FAILED", put=True)
    assert shown(api, reader)["resource_status_reason"].endswith(says)
    assert shown(api, reader)["is_external"] is True
    assert outside.content(web) == "ours"
    # Handed over there, it may be managed here, though the other one goes on reading it.
    changed(api, manager, body(file(web)), put=True)
    (planned,) = preview(api, reader, body(file(content="mine")))["updated"]
    assert planned["reason"] == "return to management: update content"
    changed(api, reader, body(file(content="mine")), put=True)
    assert shown(api, reader)["is_external"] is False
    assert outputs(api, manager)["content"] == "mine"
    # And it cannot go back as long as it is managed here.
    changed(api, manager, body(file(content="ours")), "UPDATE_FAILED", put=True)
    assert 'of the stack "t"' in shown(api, manager)["resource_status_reason"]
    deleted(api, manager)
    assert outside.content(web) == "mine"
    deleted(api, reader)
    assert outside.ids == set()


def test_it_is_the_same_when_another_resource_tells_the_id(api: Api, outside: Outside) -> None:
    _, web = managed(api)
    name = {"type": "OS::Heat::Value", "properties": {"value": web}}
    reader = made(api, "t", body(file({"get_attr": ["name", "value"]}), name=name))
    assert outputs(api, reader)["content"] == "ours"
    deleted(api, reader)
    assert outside.content(web) == "ours"


def test_any_number_of_stacks_may_read_what_one_manages(api: Api, outside: Outside) -> None:
    outside.make("srv-1")
    first = made(api, "s", body(file("srv-1"), again=file("srv-1")))
    second = made(api, "t", body(file("srv-1")))
    changed(api, second, body(file(content="mine")), put=True)
    assert shown(api, second)["is_external"] is False
    assert outputs(api, first)["content"] == "mine"
    deleted(api, first)
    assert outside.content("srv-1") == "mine"


def test_of_two_stacks_that_want_to_manage_it_at_the_same_time_one_gets_it(
    api: Api, outside: Outside
) -> None:
    outside.make("srv-1")
    paths = [made(api, name, body(file("srv-1"))) for name in ("s", "t")]

    async def race() -> None:
        wanted = body(file(content="mine"))
        await asyncio.gather(*(api.client.put(path, json=wanted) for path in paths))

    api.run(race())
    ends = {path: api.wait(path.rsplit("/", 1)[1]) for path in paths}
    assert sorted(ends.values()) == ["UPDATE_COMPLETE", "UPDATE_FAILED"]
    (loser,) = [path for path, end in ends.items() if end == "UPDATE_FAILED"]
    (winner,) = [path for path in paths if path != loser]
    assert (shown(api, winner)["is_external"], shown(api, loser)["is_external"]) == (False, True)
    assert "is managed by the resource" in shown(api, loser)["resource_status_reason"]
    assert outside.content("srv-1") == "mine"
    deleted(api, loser)
    assert outside.content("srv-1") == "mine"


def test_of_two_resources_of_a_stack_one_at_most_manages_it(api: Api, outside: Outside) -> None:
    outside.make("srv-1")
    path = made(api, "s", body(file("srv-1"), again=file("srv-1")))
    wanted = body(file(content="mine"), again=file(content="mine"))
    expected = [each["reason"] for each in preview(api, path, wanted)["updated"]]
    assert sum("srv-1 is managed by the resource" in reason for reason in expected) == 1
    changed(api, path, wanted, "UPDATE_FAILED", put=True)
    found = [shown(api, path, name) for name in ("web", "again")]
    assert sum(not each["is_external"] for each in found) <= 1
    reasons = [each["resource_status_reason"] for each in found]
    assert any("srv-1 is managed by the resource" in reason for reason in reasons)
    changed(api, path, body(file("srv-1"), again=file("srv-1")), put=True)
    changed(api, path, body(file(content="mine"), again=file("srv-1")), put=True)
    assert shown(api, path)["is_external"] is False
    assert outside.content("srv-1") == "mine"


def test_what_is_adopted_with_a_stack_may_not_be_managed_by_another(
    api: Api, outside: Outside
) -> None:
    path, web = managed(api)
    data = api.get(f"{path}/export").json()
    answer = api.post("/stacks", json={"stack_name": "t", "adopt_stack_data": json.dumps(data)})
    assert answer.status_code == 201
    assert api.wait(answer.json()["stack"]["id"]) == "ADOPT_FAILED"
    assert api.delete("/stacks/t").status_code in (204, 302)
    assert outside.content(web) == "ours"


def test_what_is_adopted_with_a_stack_may_be_read_by_another(api: Api, outside: Outside) -> None:
    path, web = managed(api)
    reader = made(api, "r", body(file(web)))
    data = api.delete(f"{path}/abandon").json()
    answer = api.post("/stacks", json={"stack_name": "t", "adopt_stack_data": json.dumps(data)})
    assert api.wait(answer.json()["stack"]["id"]) == "ADOPT_COMPLETE"
    assert outputs(api, reader)["content"] == "ours"


def test_bad_input_a_rename_would_delete_what_is_adopted(api: Api, outside: Outside) -> None:
    path, web = managed(api)
    for ask in (api.put, lambda path, json: api.put(f"{path}/preview", json=json)):
        answer = ask(path, json=body(None, renamed=file(web)))
        assert answer.status_code == 400
        says = (
            f'{web} is managed by the resource "web" of this stack and would be deleted with it; '
            "hand it over there first"
        )
        assert says in answer.json()["error"]["message"]
        assert answer.json()["error"]["problems"][0]["path"] == "resources.renamed.external_id"
    # Handed over first, it can go by any name.
    changed(api, path, body(file(web)), put=True)
    changed(api, path, body(None, renamed=file(web)), put=True)
    assert outside.content(web) == "ours"


def test_what_is_about_to_go_is_not_read_either_when_another_resource_tells_the_id(
    api: Api, outside: Outside
) -> None:
    path, web = managed(api)
    name = {"type": "OS::Heat::Value", "properties": {"value": web}}
    wanted = body(None, renamed=file({"get_attr": ["name", "value"]}), name=name)
    changed(api, path, wanted, "UPDATE_FAILED", put=True)
    reason = events(api, path, "renamed")[-1][1]
    assert 'by the resource "web" of this stack' in reason or "there is no object" in reason


def test_what_stays_by_its_policy_can_be_renamed_at_once(api: Api, outside: Outside) -> None:
    kept: dict[str, Any] = {**file(content="ours"), "deletion_policy": "Retain"}
    path = made(api, "s", body(kept))
    web = shown(api, path)["physical_resource_id"]
    changed(api, path, body(None, renamed=file(web)), put=True)
    assert outside.content(web) == "ours"
    assert shown(api, path, "renamed")["physical_resource_id"] == web


def test_nobody_learns_what_another_project_manages(api: Api, outside: Outside) -> None:
    """Ids of different projects have nothing to do with each other."""
    manager = made(api, "very-secret", body(file(name="common", content="ours")))
    web = shown(api, manager)["physical_resource_id"]
    elsewhere = httpx.AsyncClient(
        transport=httpx.ASGITransport(api.app, raise_app_exceptions=False),
        base_url="http://testserver/v1/elsewhere",
    )

    def said(method: str, path: str, wanted: dict[str, Any]) -> httpx.Response:
        answer = api.run(elsewhere.request(method, path, json=wanted))
        assert "secret" not in answer.text
        assert "managed by" not in answer.text
        return answer

    sent = {"stack_name": "t", **body(file(web, of=FILE))}
    assert said("POST", "/stacks/preview", sent).status_code == 200
    stack_id = said("POST", "/stacks", sent).json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    path = f"/stacks/t/{stack_id}"
    assert said("PUT", f"{path}/preview", body(file(content="mine"))).status_code == 200
    shown_there = api.run(elsewhere.get(f"{path}/resources/web")).text
    assert "secret" not in shown_there
    api.run(elsewhere.aclose())
