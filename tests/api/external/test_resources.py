"""External resources over the wire: used, handed over, switched, and left alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import ResourceType
from tests.api.conftest import Api
from tests.api.external.outside import (
    FILE,
    MACHINE,
    Machine,
    Outside,
    after,
    body,
    events,
    file,
    outputs,
    preview,
    shown,
    states,
    template,
    watched,
)
from tests.api.trees import begin, changed, deleted, made


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def api_types(machine: Machine) -> tuple[ResourceType, ...]:
    return (machine,)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def test_e01_a_resource_can_be_an_object_that_exists_already(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert shown(api, path)["is_external"] is True
    (listed,) = api.get(f"{path}/resources").json()["resources"]
    assert listed["physical_resource_id"] == "srv-1"
    assert listed["is_external"] is True
    assert outside.since() == []


def test_e02_a_managed_resource_is_handed_over_and_left_alone(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    assert shown(api, path)["is_external"] is False
    # Rebuilt behind the engine's back: the same id, another content.
    outside.write(web, "rebuilt")
    outside.since()
    changed(api, path, body(file(web, content="ours")))
    assert shown(api, path)["is_external"] is True
    assert outside.content(web) == "rebuilt"
    changed(api, path, body(file(web, content="other")))
    deleted(api, path)
    assert outside.content(web) == "rebuilt"
    assert outside.since() == []


def test_e04_references_and_attributes_are_live_while_external(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1", "one"))))
    assert outputs(api, path) == {"content": "one", "id": "srv-1"}
    outside.write("srv-1", "two")
    assert outputs(api, path) == {"content": "two", "id": "srv-1"}
    assert shown(api, path)["attributes"]["content"] == "two"
    (output,) = [api.get(f"{path}/outputs/content").json()["output"]]
    assert output["output_value"] == "two"
    # While it is away, the last known values stay.
    outside.remove("srv-1")
    assert outputs(api, path)["id"] == "srv-1"


def test_e04_dependants_follow_a_live_object_with_the_next_update(
    api: Api, outside: Outside
) -> None:
    copy = {"type": FILE, "properties": {"content": {"get_attr": ["web", "content"]}}}
    path = made(api, "s", body(file(outside.make("srv-1", "one")), copy=copy))
    outside.write("srv-1", "two")
    changed(api, path, body(file("srv-1"), copy=copy))
    assert shown(api, path, "copy")["attributes"]["content"] == "two"


def test_e05_attributes_of_what_exists_need_no_parameters(api: Api, outside: Outside) -> None:
    outside.make("database", "db.example.org")
    client = {"type": FILE, "properties": {"content": {"get_attr": ["web", "content"]}}}
    path = made(api, "s", body(file("database"), client=client))
    client_id = shown(api, path, "client")["physical_resource_id"]
    assert outside.content(client_id) == "db.example.org"


def test_e06_updates_of_what_is_external_are_ignored(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"), content="a")))
    before = outside.bytes("srv-1")
    changed(api, path, body(file("srv-1", content="b", kind="disk")))
    changed(api, path, body(file("srv-1")))
    assert outside.bytes("srv-1") == before
    assert outside.since() == []
    assert shown(api, path)["resource_status"] == "CHECK_COMPLETE"


def test_e07_deletions_of_what_is_external_are_ignored(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    before = outside.bytes("srv-1")
    deleted(api, path)
    assert outside.bytes("srv-1") == before
    assert events(api, path)[-1] == (
        "DELETE_COMPLETE",
        "srv-1 is external and was left as it is",
    )


def test_e07_unless_the_external_id_was_removed_first(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    changed(api, path, body(file()), put=True)
    deleted(api, path)
    assert outside.ids == set()


@pytest.mark.parametrize("properties", [{}, {"content": "x"}], ids=["without", "with"])
def test_e08_the_key_stands_beside_the_type(
    api: Api, outside: Outside, properties: dict[str, Any]
) -> None:
    outside.make("srv-1")
    text = "heat_template_version: 2016-10-14\nresources:\n"
    text += f"  web:\n    type: {FILE}\n    external_id: srv-1\n"
    if properties:
        text += "    properties: {content: x}\n"
    answer = api.post("/validate", json={"template": text})
    assert answer.status_code == 200, answer.text
    path = made(api, "s", {"template": text})
    assert shown(api, path)["is_external"] is True


def test_e09_what_an_external_object_cannot_do_is_skipped_or_refused_with_a_reason(
    api: Api, outside: Outside, machine: Machine
) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"), MACHINE)))
    answer = api.post(f"{path}/resources/web/signal", json={"status": "SUCCESS"})
    assert answer.status_code == 400
    assert "srv-1 is external and was left as it is" in answer.json()["error"]["message"]
    for action in ("suspend", "resume"):
        assert api.post(f"{path}/actions", json={action: None}).status_code == 200
        assert api.wait(path.rsplit("/", 1)[1]) == f"{action.upper()}_COMPLETE"
        state, reason = events(api, path)[-1]
        assert state == f"{action.upper()}_COMPLETE"
        assert reason == "srv-1 is external and was left as it is"
    assert machine.done == []


def test_e11_properties_are_ignored_but_allowed(api: Api, outside: Outside) -> None:
    wrong = file(outside.make("srv-1"), content={"a": ["map"]}, unknown=5, tags="no map")
    path = made(api, "s", body(wrong))
    assert shown(api, path)["attributes"]["content"] == "theirs"
    inner = {"heat_template_version": "2021-04-16", "resources": {"inner": wrong}}
    outer = template(None, web={"type": "inner.yaml"})
    made(api, "t", {"template": outer, "files": {"inner.yaml": json.dumps(inner)}})


def test_e13_create_adopts_then_checks(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    assert states(api, path) == [
        "ADOPT_IN_PROGRESS",
        "ADOPT_COMPLETE",
        "CHECK_IN_PROGRESS",
        "CHECK_COMPLETE",
    ]
    assert shown(api, path)["resource_status"] == "CHECK_COMPLETE"
    lost = made(api, "t", body(file("srv-2")), "CREATE_FAILED")
    assert states(api, lost)[-1] == "CHECK_FAILED"
    assert "there is no object srv-2" in events(api, lost)[-1][1]
    assert "there is no object srv-2" in api.get(lost).json()["stack"]["stack_status_reason"]
    # The way on: name one that exists.
    changed(api, lost, body(file("srv-1")))
    assert shown(api, lost)["physical_resource_id"] == "srv-1"


def test_e14_an_update_overwrites_the_physical_id(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    changed(api, path, body(file(outside.make("srv-2"))))
    assert shown(api, path)["physical_resource_id"] == "srv-2"
    assert outputs(api, path) == {"content": "theirs", "id": "srv-2"}


def test_e15_an_update_that_sets_the_id_ignores_all_properties(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    before = outside.bytes(outside.make("srv-2"))
    changed(api, path, body(file("srv-2", content="ignored", kind="ignored", nonsense=True)))
    assert outside.bytes("srv-2") == before


def test_e16_an_id_that_does_not_exist_fails_and_the_old_one_stays(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    before = outside.bytes(web)
    changed(api, path, body(file("srv-9")), "UPDATE_FAILED")
    found = shown(api, path)
    assert (found["physical_resource_id"], found["resource_status"]) == (web, "UPDATE_FAILED")
    assert found["is_external"] is False
    assert "there is no object srv-9" in found["resource_status_reason"]
    assert outside.bytes(web) == before
    # Nothing was touched, so nothing has to be replaced.
    outside.since()
    changed(api, path, body(file(content="ours")), put=True)
    assert shown(api, path)["physical_resource_id"] == web
    assert outside.since() == []


def test_e16_an_external_one_keeps_its_old_id_as_well(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    changed(api, path, body(file("srv-9")), "UPDATE_FAILED")
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert shown(api, path)["is_external"] is True
    changed(api, path, body(file("srv-1")))
    assert shown(api, path)["resource_status"] == "UPDATE_COMPLETE"


def test_e17_the_old_object_goes_if_it_was_managed_and_stays_if_it_was_not(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(content="ours")))
    ours = shown(api, path)["physical_resource_id"]
    outside.since()
    changed(api, path, body(file(outside.make("srv-1"))))
    assert outside.ids == {"srv-1"}
    assert outside.since() == [("delete", ours)]
    changed(api, path, body(file(outside.make("srv-2"))))
    assert outside.ids == {"srv-1", "srv-2"}
    assert outside.since() == []


def test_e17_the_old_object_goes_only_after_the_new_one_was_checked(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(content="ours")))
    changed(api, path, body(file(outside.make("srv-1"))))
    told = states(api, path)
    assert told.index("CHECK_COMPLETE") < told.index("DELETE_IN_PROGRESS")


def test_e18_the_same_id_becomes_external_in_place(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    outside.since()
    changed(api, path, body(file(web)))
    assert outside.since() == []
    assert outside.ids == {web}
    assert shown(api, path)["is_external"] is True
    assert events(api, path)[-1] == ("UPDATE_COMPLETE", f"hand over {web}")


def test_e21_retain_is_assumed_whatever_the_policy_says(api: Api, outside: Outside) -> None:
    web = {**file(outside.make("srv-1")), "deletion_policy": "delete"}
    deleted(api, made(api, "s", body(web)))
    assert outside.ids == {"srv-1"}


def test_e22_taking_the_resource_out_of_the_template_retains_it(api: Api, outside: Outside) -> None:
    other = file(content="other")
    path = made(api, "s", body(file(outside.make("srv-1")), other=other))
    before = outside.bytes("srv-1")
    changed(api, path, body(None, other=other), put=True)
    assert api.get(f"{path}/resources/web").status_code == 404
    assert outside.bytes("srv-1") == before


def test_e23_one_call_switches_from_one_object_to_another(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    answer = api.put(path, json=body(file(outside.make("srv-1"))))
    assert answer.status_code == 202
    assert api.wait(path.rsplit("/", 1)[1]) == "UPDATE_COMPLETE"
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert outside.ids == {"srv-1"}


def test_e26_nothing_touches_an_external_object(
    api: Api, outside: Outside, machine: Machine
) -> None:
    ours = file(of=MACHINE, content="ours")
    path = made(api, "s", body(file(outside.make("srv-1"), MACHINE), ours=ours))
    mine = shown(api, path, "ours")["physical_resource_id"]
    before = outside.bytes("srv-1")
    for action in ("suspend", "resume", "check"):
        assert api.post(f"{path}/actions", json={action: None}).status_code in (200, 201)
        assert api.wait(path.rsplit("/", 1)[1]) == f"{action.upper()}_COMPLETE"
    assert api.post(f"{path}/snapshots", json={"name": "one"}).status_code == 200
    assert api.wait(path.rsplit("/", 1)[1]) == "SNAPSHOT_COMPLETE"
    assert events(api, path)[-1] == (
        "SNAPSHOT_COMPLETE",
        "srv-1 is external and was left as it is",
    )
    assert api.post(f"{path}/resources/web/signal", json={}).status_code == 400
    assert machine.done == [("suspend", mine), ("resume", mine), ("snapshot", mine)]
    assert outside.bytes("srv-1") == before


def test_e26_a_check_tells_whether_it_is_still_there(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    outside.remove("srv-1")
    assert api.post(f"{path}/actions", json={"check": None}).status_code in (200, 201)
    assert api.wait(path.rsplit("/", 1)[1]) == "CHECK_FAILED"
    assert shown(api, path)["resource_status"] == "CHECK_FAILED"
    # An update does not replace it, and notices when it is back.
    changed(api, path, body(file("srv-1")))
    assert shown(api, path)["resource_status"] == "CHECK_FAILED"
    outside.make("srv-1", "back")
    changed(api, path, body(file("srv-1")))
    assert shown(api, path)["resource_status"] == "CHECK_COMPLETE"
    assert outputs(api, path)["content"] == "back"


def test_e27_the_id_may_come_from_parameters(api: Api, outside: Outside) -> None:
    outside.make("srv-1")
    text = template(file({"list_join": ["-", ["srv", {"get_param": "name"}]]}))
    text["parameters"] = {"name": {"type": "string"}}
    path = made(api, "s", {"template": text, "parameters": {"name": "1"}})
    assert shown(api, path)["physical_resource_id"] == "srv-1"


def test_e27_the_id_may_come_from_other_resources_in_the_right_order(
    api: Api, outside: Outside
) -> None:
    name = {"type": "OS::Heat::Value", "properties": {"value": outside.make("srv-1")}}
    slow = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 0.2}}
    web = {**file({"get_attr": ["name", "value"]})}
    path = made(api, "s", body(web, name={**name, "depends_on": "slow"}, slow=slow))
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    stream = api.get(f"{path}/events?sort_dir=asc").json()["events"]
    told = [(each["resource_name"], each["resource_status"]) for each in stream]
    assert told.index(("name", "CREATE_COMPLETE")) < told.index(("web", "ADOPT_IN_PROGRESS"))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"get_param": "map"}, "must give a text"),
        ("", "must not be empty"),
        ({"get_resource": "nobody"}, "is incorrect"),
        ({"a": "b"}, "must be a text"),
    ],
)
def test_e27_a_value_that_makes_no_sense_is_refused(
    api: Api, outside: Outside, value: Any, says: str
) -> None:
    text = template(file(value) if value != "" else {**file(), "external_id": ""})
    text["parameters"] = {"map": {"type": "json", "default": {"a": 1}}}
    answer = api.post("/stacks", json={"stack_name": "s", "template": text})
    assert answer.status_code == 400, answer.text
    assert says in answer.json()["error"]["message"]


def test_e28_null_is_not_external_in_every_respect(api: Api, outside: Outside) -> None:
    text = template(file({"if": ["theirs", "srv-1", None]}, content="ours"))
    text["parameters"] = {"theirs": {"type": "boolean"}}
    text["conditions"] = {"theirs": {"get_param": "theirs"}}
    path = made(api, "s", {"template": text, "parameters": {"theirs": False}})
    found = shown(api, path)
    assert found["is_external"] is False
    assert outside.content(found["physical_resource_id"]) == "ours"
    assert states(api, path) == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    deleted(api, path)
    assert outside.ids == set()
    # Properties count as ever.
    text["resources"]["web"]["properties"]["nonsense"] = 1
    wrong = {"stack_name": "t", "template": text, "parameters": {"theirs": False}}
    assert api.post("/stacks", json=wrong).status_code == 400


def test_e28_a_null_that_is_written_down_means_managed(api: Api, outside: Outside) -> None:
    """It may be filled in later, and emptied again, without the line coming and going."""
    empty = {"type": FILE, "external_id": None, "properties": {"content": "ours"}}
    path = made(api, "s", body(empty))
    web = shown(api, path)["physical_resource_id"]
    assert shown(api, path)["is_external"] is False
    assert outside.content(web) == "ours"
    changed(api, path, body({**empty, "external_id": web}), put=True)
    assert shown(api, path)["is_external"] is True
    (planned,) = preview(api, path, body(empty))["updated"]
    assert planned["reason"].startswith("return to management")
    changed(api, path, body(empty), put=True)
    assert shown(api, path)["is_external"] is False
    deleted(api, path)
    assert outside.ids == set()


def test_e25_a_failed_update_goes_back_to_the_relation_that_was(api: Api, outside: Outside) -> None:
    path = made(api, "s", {**body(file(content="ours")), "disable_rollback": False})
    web = shown(api, path)["physical_resource_id"]
    outside.make("srv-1")
    keeper = {"type": FILE, "properties": {"content": {"get_resource": "web"}}}
    both = {**body(file("srv-1"), bad=after("web"), keeper=keeper), "disable_rollback": False}
    changed(api, path, both, "ROLLBACK_COMPLETE", put=True)
    assert shown(api, path)["is_external"] is False
    assert outside.content(shown(api, path)["physical_resource_id"]) == "ours"
    assert outside.content("srv-1") == "theirs"
    web = shown(api, path)["physical_resource_id"]
    # In place: handed over, and taken back.
    both = {**body(file(web), bad=after("web")), "disable_rollback": False}
    changed(api, path, both, "ROLLBACK_COMPLETE", put=True)
    assert shown(api, path)["is_external"] is False
    assert shown(api, path)["physical_resource_id"] == web
    assert outside.content(web) == "ours"
    deleted(api, path)
    assert outside.ids == {"srv-1"}


def test_e25_going_back_never_takes_what_was_never_managed(api: Api, outside: Outside) -> None:
    """The managed object is gone when something else fails: a new one is made instead."""
    path = made(api, "s", {**body(file(content="ours")), "disable_rollback": False})
    before = outside.bytes(outside.make("srv-1"))
    slow = {
        "type": "OS::Heat::TestResource",
        "properties": {"fail": True, "action_wait_secs": {"create": 0.5}},
        "depends_on": "web",
    }
    changed(
        api,
        path,
        {**body(file("srv-1"), bad=slow), "disable_rollback": False},
        "ROLLBACK_COMPLETE",
        put=True,
    )
    found = shown(api, path)
    assert found["is_external"] is False
    assert found["physical_resource_id"] != "srv-1"
    assert outside.content(found["physical_resource_id"]) == "ours"
    assert outside.bytes("srv-1") == before


def test_e25_from_external_to_external_and_back(api: Api, outside: Outside) -> None:
    path = made(api, "s", {**body(file(outside.make("srv-1"))), "disable_rollback": False})
    both = {**body(file(outside.make("srv-2")), bad=after("web")), "disable_rollback": False}
    changed(api, path, both, "ROLLBACK_COMPLETE", put=True)
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert outside.ids == {"srv-1", "srv-2"}
    assert outside.since() == []


def test_e25_a_failed_creation_goes_back_to_nothing(api: Api, outside: Outside) -> None:
    wanted = {**body(file(outside.make("srv-1")), bad=after("web")), "disable_rollback": False}
    _, stack_id = begin(api, "s", wanted)
    assert api.wait(stack_id) == "ROLLBACK_COMPLETE"
    assert outside.ids == {"srv-1"}
    assert outside.since() == []
