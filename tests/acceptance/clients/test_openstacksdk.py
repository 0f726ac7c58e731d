"""openstacksdk takes stacks through their lives on the real server."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openstack
import pytest
import yaml
from openstack import exceptions
from openstack.connection import Connection
from openstack.orchestration.util import event_utils
from openstack.orchestration.v1._proxy import Proxy

from tests.acceptance.clients.small_application import INNER, RESOURCES, TEMPLATE, TINY, TREE
from tests.acceptance.serving import Served, serving

# What the SDK's authors will remove from it is no fault of the server.
pytestmark = pytest.mark.filterwarnings(
    "ignore::PendingDeprecationWarning", "ignore::openstack.warnings.LegacyAPIWarning"
)

FILES = {"inner.yaml": INNER}
MAP = yaml.safe_load(TEMPLATE)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture
def cloud(
    served: Served, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Connection]:
    """A project for each test, and no clouds of whoever runs it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    # The SDK looks every five seconds for the end of what it waits for.
    sleep = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: sleep(min(seconds, 0.2)))
    endpoint = served.endpoint(request.node.name.removeprefix("test_"))
    with openstack.connect(
        load_yaml_config=False,
        load_envvars=False,
        auth_type="none",
        endpoint=endpoint,
        orchestration_endpoint_override=endpoint,
    ) as connection:
        yield connection


@pytest.fixture
def heat(cloud: Connection) -> Proxy:
    proxy = cloud.orchestration
    assert isinstance(proxy, Proxy)
    return proxy


def finished(cloud: Connection, action: str, call: Callable[[], Any]) -> Any:
    """Do something to the stack `app` and wait for its end, as the SDK does."""
    marker = event_utils.get_events(cloud, "app", {"sort_dir": "desc", "limit": 1})[0].id
    answer = call()
    status, _ = event_utils.poll_for_events(cloud, "app", action, 0.1, marker)
    assert status == f"{action}_COMPLETE"
    return answer


def created(heat: Proxy, **more: Any) -> Any:
    stack = heat.create_stack(name="app", template=MAP, files=FILES, **more)
    heat.wait_for_status(stack, "CREATE_COMPLETE", ["CREATE_FAILED"], interval=0.1, wait=60)
    return heat.get_stack(stack.id)


def words(heat: Proxy) -> Any:
    stack = heat.find_stack("app", ignore_missing=False)
    return {o["output_key"]: o["output_value"] for o in stack.outputs}["words"]


def test_the_endpoint_is_discovered(served: Served, cloud: Connection) -> None:
    answer = cloud.session.get(served.url, raise_exc=False)
    assert answer.status_code == 300
    versions = {each["id"]: each["status"] for each in answer.json()["versions"]}
    assert versions == {"v1.0": "CURRENT"}
    assert cloud.orchestration.get_api_major_version() == (1, 0)
    with openstack.connect(
        load_yaml_config=False, load_envvars=False, auth_type="none", endpoint=served.url
    ) as at_the_root:
        assert at_the_root.orchestration.get_api_major_version() == (1, 0)
        assert at_the_root.orchestration.get_endpoint() == f"{served.url}/v1/"


def test_create_and_look(heat: Proxy) -> None:
    stack = created(heat, parameters={"word": "hi"}, timeout_mins=5, is_rollback_disabled=True)
    assert (stack.name, stack.status) == ("app", "CREATE_COMPLETE")
    assert stack.status_reason == "Stack CREATE completed successfully"
    assert stack.parameters["word"] == "hi"
    assert stack.parameters["secret"] == "******"
    assert (stack.timeout_mins, stack.is_rollback_disabled) == (5, True)
    assert stack.outputs[0]["output_value"] == "hi"
    brief = heat.find_stack("app", ignore_missing=False, resolve_outputs=False)
    assert brief.outputs is None
    assert heat.get_stack_template("app").description == "a small application"
    assert heat.get_stack_environment("app").parameters == {"word": "hi"}
    assert heat.get_stack_files("app") == FILES
    assert [r.name for r in heat.resources("app")] == RESOURCES
    # What the SDK has no words for goes through its session all the same.
    answer = heat.get("/stacks/app/resources", params={"nested_depth": 5})
    assert [r["resource_name"] for r in answer.json()["resources"]] == TREE
    assert {r.status for r in heat.resources(stack)} == {"CREATE_COMPLETE"}
    assert heat.find_stack("nono") is None
    with pytest.raises(exceptions.NotFoundException, match=r"The Stack \(nono\) could not be"):
        heat.get_stack("nono")
    with pytest.raises(exceptions.ConflictException, match=r"The Stack \(app\) already exists"):
        heat.create_stack(name="app", template=MAP, files=FILES)


def test_the_cloud_layer_creates_updates_and_deletes(cloud: Connection, tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "inner.yaml").write_text(INNER, encoding="utf-8")
    (tmp_path / "one.yaml").write_text("parameters: {word: one}\n", encoding="utf-8")
    files: Any = {"template_file": "app.yaml", "environment_files": ["one.yaml"]}
    stack: Any = cloud.create_stack("app", tags=["a", "b"], wait=True, size=1, **files)
    assert stack.status == "CREATE_COMPLETE"
    assert stack.tags == ["a", "b"]
    assert words(cloud.orchestration) == ["one"]
    stack = cloud.update_stack("app", tags=["c"], wait=True, word="two", **files)
    assert (stack.status, stack.tags) == ("UPDATE_COMPLETE", ["c"])
    assert words(cloud.orchestration) == ["two", "two"]
    assert [s.name for s in cloud.search_stacks("app")] == ["app"]
    assert cloud.delete_stack("app", wait=True)
    assert cloud.get_stack("app") is None
    assert not cloud.delete_stack("app")


def test_listing(heat: Proxy) -> None:
    for number, tags in enumerate(("red", "red,blue", "blue")):
        heat.post(
            "/stacks", json={"stack_name": f"s{number}", "template": TINY, "tags": tags}
        ).raise_for_status()

    def names(**query: Any) -> list[str]:
        return [stack.name for stack in heat.stacks(**query)]

    assert names() == ["s2", "s1", "s0"]
    assert names(limit=1) == ["s2", "s1", "s0"], "page after page"
    assert names(name="s1") == ["s1"]
    assert names(action="CREATE", owner_id="nobody") == []
    assert names(tags=["red", "blue"]) == ["s1"]
    assert names(any_tags=["red", "blue"]) == ["s2", "s1", "s0"]
    assert names(not_tags=["red", "blue"]) == ["s2", "s0"]
    assert names(not_any_tags=["red"]) == ["s2"]


def test_events(heat: Proxy) -> None:
    stack = created(heat)
    told = [(e.resource_name, e.resource_status) for e in heat.stack_events(stack)]
    assert told[0] == ("app", "CREATE_COMPLETE"), "the newest first"
    assert told[-1] == ("app", "CREATE_IN_PROGRESS")
    nested = heat.stack_events(stack, nested_depth=5)
    assert [e.resource_name for e in nested].count("leaf") == 4
    assert {e.resource_name for e in heat.stack_events(stack, resource_name="text")} == {"text"}


def test_update_patch_and_previews(cloud: Connection, heat: Proxy) -> None:
    preview = heat.create_stack(preview=True, name="app", template=MAP, files=FILES)
    assert preview.parameters["word"] == "plain"
    assert list(heat.stacks()) == []
    stack = created(heat)
    body = {"template": TEMPLATE, "files": FILES, "parameters": {"word": "new"}}
    asked = heat._get_resource(type(stack), stack.id, name="app", **body | {"template": MAP})
    asked.commit(heat, preview=True)
    assert words(heat) == ["plain", "plain"]
    changes = heat.put(f"/stacks/app/{stack.id}/preview", json=body).json()["resource_changes"]
    assert {change["resource_name"] for change in changes["updated"]} == {"text", "group"}
    finished(
        cloud,
        "UPDATE",
        lambda: heat.update_stack(
            stack.id, template=MAP, files=FILES, parameters={"word": "new", "size": 1}
        ),
    )
    assert words(heat) == ["new"]
    finished(
        cloud,
        "UPDATE",
        lambda: heat.patch("/stacks/app", json={"parameters": {"size": 2}}).raise_for_status(),
    )
    assert words(heat) == ["new", "new"]
    with pytest.raises(exceptions.BadRequestException, match="nono"):
        heat.update_stack(stack, template=MAP, files=FILES, parameters={"nono": 1})


def test_suspend_resume_and_check(cloud: Connection, heat: Proxy) -> None:
    stack = created(heat)
    finished(cloud, "SUSPEND", lambda: heat.suspend_stack(stack))
    finished(cloud, "RESUME", lambda: heat.resume_stack(stack))
    finished(cloud, "CHECK", lambda: heat.check_stack(stack))
    assert heat.get_stack(stack).status == "CHECK_COMPLETE"
    with pytest.raises(exceptions.NotFoundException):
        heat.check_stack("nono")


def test_snapshot_restore_and_cancel(cloud: Connection, heat: Proxy) -> None:
    stack = created(heat)
    path = f"/stacks/app/{stack.id}/snapshots"
    made = finished(cloud, "SNAPSHOT", lambda: heat.post(path, json={"name": "first"}).json())
    (listed,) = heat.get(path).json()["snapshots"]
    assert (listed["id"], listed["status"]) == (made["id"], "COMPLETE")
    change = {"parameters": {"word": "new", "seconds": 2}}
    heat.patch("/stacks/app", json=change).raise_for_status()
    cancel = {"cancel_update": None}
    # The SDK follows the redirect with the same method and body.
    finished(
        cloud,
        "ROLLBACK",
        lambda: heat.post("/stacks/app/actions", json=cancel).raise_for_status(),
    )
    assert words(heat) == ["plain", "plain"]
    finished(cloud, "UPDATE", lambda: heat.patch("/stacks/app", json={"parameters": {"size": 1}}))
    restore = f"{path}/{made['id']}/restore"
    finished(cloud, "RESTORE", lambda: heat.post(restore).raise_for_status())
    assert words(heat) == ["plain", "plain"]
    assert heat.delete(f"{path}/{made['id']}").status_code == 204


def test_abandon_and_adopt(cloud: Connection, heat: Proxy) -> None:
    stack = created(heat, parameters={"word": "kept"})
    exported = heat.export_stack(stack)
    document = heat.abandon_stack(stack)
    assert document["resources"] == exported["resources"]
    assert heat.find_stack("app") is None
    body = {
        "stack_name": "app",
        "adopt_stack_data": json.dumps(document),
        "files": document["files"],
    }
    heat.post("/stacks", json=body).raise_for_status()
    status, _ = event_utils.poll_for_events(cloud, "app", "ADOPT", 0.1)
    assert status == "ADOPT_COMPLETE"
    (listed,) = heat.stacks()
    assert listed.status == "ADOPT_COMPLETE"
    # The SDK takes an adopted stack for a missing one until something else is done to it.
    assert heat.find_stack("app") is None
    finished(cloud, "CHECK", lambda: heat.check_stack(listed))
    assert words(heat) == ["kept", "kept"]


def test_delete(heat: Proxy) -> None:
    stack = created(heat)
    heat.delete_stack(stack)
    heat.wait_for_delete(stack, interval=1, wait=60)
    assert list(heat.stacks()) == []
    heat.delete_stack("app")
    with pytest.raises(exceptions.NotFoundException):
        heat.delete_stack("app", ignore_missing=False)


def test_validate(heat: Proxy) -> None:
    small = yaml.safe_load(TINY)
    assert heat.validate_template(small).description == "No description"
    with pytest.raises(exceptions.BadRequestException):
        heat.validate_template({"heat_template_version": "wallaby", "zebra": {}})


def test_software_configs_and_deployments(heat: Proxy) -> None:
    config = heat.create_software_config(
        name="hello", group="script", config="echo $x", inputs=[{"name": "x"}], outputs=[]
    )
    assert heat.get_software_config(config).config == "echo $x"
    assert [c.id for c in heat.software_configs()] == [config.id]
    server = "5a3f1a36-21c4-4c57-8b0e-3b8c4f0a1d02"
    deployment = heat.create_software_deployment(
        config_id=config.id, server_id=server, action="CREATE", status="IN_PROGRESS"
    )
    assert [d.id for d in heat.software_deployments(server_id=server)] == [deployment.id]
    changed = heat.update_software_deployment(deployment, status="COMPLETE", status_reason="done")
    assert (changed.status, changed.status_reason) == ("COMPLETE", "done")
    assert heat.get_software_deployment(deployment).status == "COMPLETE"
    with pytest.raises(exceptions.ConflictException):
        heat.delete_software_config(config)
    heat.delete_software_deployment(deployment)
    heat.delete_software_config(config)
    assert list(heat.software_configs()) == []
