"""External resources over the wire: what is refused, what previews say, hooks and restrictions."""

import re
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from hotplate.resources import ResourceType
from tests.api.conftest import Api
from tests.api.external.outside import (
    FILE,
    MACHINE,
    Machine,
    Outside,
    body,
    events,
    file,
    preview,
    shown,
    states,
    template,
    watched,
)
from tests.api.trees import changed, deleted, made

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    return (Machine(),)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


UNVERIFIABLE = ["OS::Heat::TestResource", "OS::Heat::None", "OS::Heat::RandomString"]


@pytest.mark.parametrize("kind", UNVERIFIABLE)
def test_e24_a_type_that_cannot_verify_is_refused(api: Api, kind: str) -> None:
    text = template(None, web=file("foobar", kind))
    answer = api.post("/stacks", json={"stack_name": "s", "template": text})
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert f"nobody can verify that an object of the type {kind} exists" in message
    assert "allow_unverified_external" in message
    assert api.get("/stacks/s").status_code == 404


def test_e24_a_resource_that_is_a_stack_is_refused(api: Api) -> None:
    text = template(None, web=file("foobar", "OS::Heat::ResourceGroup"))
    answer = api.post("/stacks", json={"stack_name": "s", "template": text})
    assert answer.status_code == 400
    assert "a resource that is a stack cannot be external" in answer.json()["error"]["message"]


def test_e24_a_type_is_verified_by_what_it_shows(api: Api) -> None:
    """Software configs cannot be checked, but shown."""
    sent = {"name": "c", "group": "script", "config": "echo"}
    config = api.post("/software_configs", json=sent).json()["software_config"]["id"]
    text = template(None, web=file(config, "OS::Heat::SoftwareConfig"))
    text["outputs"] = {"config": {"value": {"get_attr": ["web", "config"]}}}
    path = made(api, "s", {"template": text})
    assert shown(api, path)["attributes"]["config"] == "echo"
    deleted(api, path)
    assert api.get(f"/software_configs/{config}").status_code == 200
    # The id of something else: there is a config of this id, and no deployment.
    text = template(None, web=file(config, "OS::Heat::SoftwareDeployment"))
    path = made(api, "t", {"template": text}, "CREATE_FAILED")
    assert f"there is no software deployment {config}" in events(api, path)[-1][1]


class TestAllowed:
    """With the operator's leave."""

    @pytest.fixture
    def api_settings(self) -> Settings:
        return Settings(allow_unverified_external=True)

    def test_e24_an_operator_may_allow_what_cannot_be_verified(self, api: Api) -> None:
        path = made(api, "s", {"template": template(None, web=file("foobar", UNVERIFIABLE[0]))})
        assert shown(api, path)["physical_resource_id"] == "foobar"
        assert events(api, path)[-1] == ("CHECK_COMPLETE", "external: foobar was not verified")
        assert api.post(f"{path}/actions", json={"check": None}).status_code in (200, 201)
        assert api.wait(path.rsplit("/", 1)[1]) == "CHECK_COMPLETE"
        assert events(api, path)[-1][1] == f"CHECK not supported for {UNVERIFIABLE[0]}"
        text = template(None, web=file("foobar", "OS::Heat::ResourceGroup"))
        answer = api.post("/stacks", json={"stack_name": "t", "template": text})
        assert answer.status_code == 400


def test_e29_a_preview_tells_of_a_hand_over(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    (planned,) = preview(api, path, body(file(web)))["updated"]
    assert planned["reason"] == f"hand over {web}"
    assert planned["physical_resource_id"] == web


def test_e29_a_preview_tells_of_a_switch_and_of_what_it_deletes(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    changes = preview(api, path, body(file(outside.make("srv-2"))))
    (planned,), (gone,) = changes["updated"], changes["deleted"]
    assert planned["reason"] == f"adopt srv-2, delete {web}"
    assert gone["physical_resource_id"] == web
    changed(api, path, body(file("srv-2")))
    changes = preview(api, path, body(file(outside.make("srv-3"))))
    (planned,) = changes["updated"]
    assert planned["reason"] == "adopt srv-3, leave srv-2 as it is"
    assert changes["deleted"] == []


def test_e29_a_preview_tells_of_a_return(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1", "a", kind="disk"))))
    wanted = body(file(content="b", tags={"x": "y"}))
    (planned,) = preview(api, path, wanted)["updated"]
    assert planned["reason"] == "return to management: update content, tags"
    change = planned["changes"][0]
    assert (change["property"], change["old"], change["new"]) == ("content", "a", "b")
    assert change["is_in_place"] is True
    (planned,) = preview(api, path, body(file(content="a")))["updated"]
    assert planned["reason"] == "return to management"
    (planned,) = preview(api, path, body(file(kind="file")))["replaced"]
    assert planned["reason"] == (
        "kind of srv-1 cannot be changed in place: a new object is made, srv-1 stays as it is"
    )


def test_e29_a_preview_tells_of_adoption_removal_and_of_what_would_fail(
    api: Api, outside: Outside
) -> None:
    other = file(content="other")
    path = made(api, "s", body(None, other=other))
    (planned,) = preview(api, path, body(file(outside.make("srv-1")), other=other))["added"]
    assert planned["reason"] == "adopt srv-1"
    (planned,) = preview(api, path, body(file("srv-9"), other=other))["updated"]
    assert planned["reason"].startswith("adopt srv-9: there is no object srv-9")
    changed(api, path, body(file("srv-1"), other=other), put=True)
    changes = preview(api, path, body(file("srv-1", content="ignored"), other=other))
    assert {each["resource_name"] for each in changes["unchanged"]} == {"web", "other"}
    (planned,) = preview(api, path, body(None, other=other))["deleted"]
    assert planned["reason"] == "srv-1 is external and stays as it is"
    deletion = api.get(f"{path}/deletion").json()["deletion"]
    steps = {each["path"][0]: each["step"] for each in deletion}
    assert steps == {"web": "external", "other": "deleted"}
    created = api.post("/stacks/preview", json={"stack_name": "t", **body(file("srv-1"))})
    assert created.json()["stack"]["resources"][0]["reason"] == "adopt srv-1"


def test_e29_a_preview_knows_that_dependants_will_follow(api: Api, outside: Outside) -> None:
    copy = {"type": FILE, "properties": {"content": {"get_attr": ["web", "content"]}}}
    wanted = body(file(outside.make("srv-1", "one")), copy=copy)
    path = made(api, "s", wanted)
    assert preview(api, path, wanted)["updated"] == []
    outside.write("srv-1", "two")
    (planned,) = preview(api, path, wanted)["updated"]
    assert (planned["resource_name"], planned["changes"][0]["new"]) == ("copy", "two")


def test_e30_the_guide_has_a_chapter(api: Api) -> None:
    page = (ROOT / "docs" / "external-resources.md").read_text(encoding="utf-8")
    assert "allow_unverified_external" in page
    guide = (ROOT / "docs" / "template-guide.md").read_text(encoding="utf-8")
    assert "(external-resources.md)" in guide
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert "external-resources.md" in index
    assert re.search(r"external_id", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_bad_input_what_is_no_object_is_refused(api: Api, outside: Outside) -> None:
    (outside.directory.path / "stray").write_text("no object", encoding="utf-8")
    path = made(api, "s", body(file("stray")), "CREATE_FAILED")
    assert "does not begin as one" in events(api, path)[-1][1]
    path = made(api, "t", body(file("../etc/passwd")), "CREATE_FAILED")
    assert "cannot be the id of an object" in events(api, path)[-1][1]
    assert (outside.directory.path / "stray").read_text(encoding="utf-8") == "no object"


def environment(**settings: Any) -> dict[str, Any]:
    return {"environment": {"resource_registry": {"resources": {"web": settings}}}}


def test_hooks_hold_for_external_resources(api: Api, outside: Outside) -> None:
    hooks = environment(hooks=["pre-create", "post-create", "pre-update", "pre-delete"])
    sent = {"stack_name": "s", **body(file(outside.make("srv-1"))), **hooks}
    stack_id = api.post("/stacks", json=sent).json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"

    def cleared(hook: str) -> None:
        async def waits() -> bool:
            told = [each.reason for each in await api.engine.operations.events(stack_id)]
            return sum(hook in reason for reason in told) % 2 == 1

        api.until(waits)
        answer = api.post(f"{path}/resources/web/signal", json={"unset_hook": hook})
        assert answer.status_code == 200, answer.text

    cleared("pre-create")
    cleared("post-create")
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    outside.make("srv-2")
    assert api.put(path, json={**body(file("srv-2")), **hooks}).status_code == 202
    cleared("pre-update")
    assert api.wait(stack_id) == "UPDATE_COMPLETE"
    assert shown(api, path)["physical_resource_id"] == "srv-2"
    assert api.delete(path).status_code == 204
    cleared("pre-delete")
    assert api.wait(stack_id) == "DELETE_COMPLETE"
    assert outside.ids == {"srv-1", "srv-2"}


@pytest.mark.parametrize("action", ["update", "replace"])
def test_restricted_actions_hold_for_external_resources(
    api: Api, outside: Outside, action: str
) -> None:
    limits = environment(restricted_actions=action)
    path = made(api, "s", {**body(file(content="ours")), **limits})
    web = shown(api, path)["physical_resource_id"]
    wanted = file(web) if action == "update" else file(outside.make("srv-2"))
    changed(api, path, {**body(wanted), **limits}, "UPDATE_FAILED", put=True)
    assert events(api, path)[-1][1].endswith(f"{action} is restricted for resource.")
    found = shown(api, path)
    assert (found["physical_resource_id"], found["is_external"]) == (web, False)
    assert states(api, path)[-1] == "UPDATE_FAILED"
    assert outside.content(web) == "ours"


def test_an_external_resource_that_was_marked_unhealthy_is_not_replaced(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"), MACHINE)))
    mark = {"mark_unhealthy": True, "resource_status_reason": "smoke"}
    assert api.patch(f"{path}/resources/web", json=mark).status_code == 200
    changed(api, path, body(file("srv-1", MACHINE)), put=True)
    found = shown(api, path)
    assert (found["physical_resource_id"], found["resource_status"]) == ("srv-1", "CHECK_COMPLETE")
