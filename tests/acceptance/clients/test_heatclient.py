"""python-heatclient, the library, takes stacks through their lives on the real server."""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from typing import Any

import pytest
from heatclient import client, exc
from heatclient.common import event_utils

from tests.acceptance.clients.small_application import INNER, RESOURCES, TEMPLATE, TINY, TREE
from tests.acceptance.serving import PATIENCE, Served, serving

FILES = {"inner.yaml": INNER}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


class Heat:
    """The client, and a way to wait that prints nothing."""

    def __init__(self, endpoint: str) -> None:
        self.client = client.Client("1", endpoint=endpoint, token="any")
        self.stacks = self.client.stacks

    def create(self, name: str, **more: Any) -> str:
        """Create a stack and wait; return its id."""
        fields = {"template": TEMPLATE, "files": FILES} | more
        made = self.stacks.create(stack_name=name, **fields)["stack"]
        self.wait(name, "ADOPT" if "adopt_stack_data" in more else "CREATE")
        return str(made["id"])

    def act(self, name: str, action: str, call: Callable[[], Any]) -> Any:
        """Do something to a stack and wait, in the way that the command does it."""
        marker = self.client.events.list(name, limit=1, sort_dir="desc")[0].id
        answer = call()
        self.wait(name, action, marker)
        return answer

    def wait(self, name: str, action: str, marker: str | None = None) -> None:
        printed = StringIO()
        status, _ = event_utils.poll_for_events(
            self.client, name, action=action, poll_period=0.1, marker=marker, out=printed
        )
        assert status == f"{action}_COMPLETE", printed.getvalue()
        assert f"[{name}]: {action}_IN_PROGRESS" in printed.getvalue()

    def output(self, name: str, key: str) -> Any:
        return self.stacks.output_show(name, key)["output"]["output_value"]

    def status(self, name: str) -> str:
        return str(self.stacks.get(name).stack_status)

    def until(self, name: str, wanted: str) -> None:
        limit = time.monotonic() + PATIENCE
        while self.status(name) != wanted:
            assert time.monotonic() < limit, self.status(name)
            time.sleep(0.05)


@pytest.fixture
def heat(served: Served, request: pytest.FixtureRequest) -> Heat:
    """A project for each test."""
    return Heat(served.endpoint(request.node.name.removeprefix("test_")))


def refusal(kind: type[exc.HTTPException], call: Callable[[], Any]) -> str:
    """Return the words of a call that must be refused in this way."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_create_and_look(heat: Heat) -> None:
    stack_id = heat.create("app", parameters={"word": "hi"}, tags="a,b", timeout_mins=5)
    stack = heat.stacks.get("app")
    assert (stack.id, stack.action, stack.status) == (stack_id, "CREATE", "COMPLETE")
    assert stack.description == "a small application"
    assert stack.tags == ["a", "b"]
    assert stack.timeout_mins == 5
    assert stack.parameters["word"] == "hi"
    assert stack.parameters["secret"] == "******"
    assert stack.parameters["OS::stack_id"] == stack_id
    assert {o["output_key"]: o["output_value"] for o in stack.outputs} == {
        "word": "hi",
        "words": ["hi", "hi"],
        "wrong": None,
    }
    assert not hasattr(heat.stacks.get("app", resolve_outputs=False), "outputs")
    arn = f"arn:openstack:heat::create_and_look:stacks/app/{stack_id}"
    for identifier in (stack_id, stack.identifier, arn):
        assert heat.stacks.get(identifier).stack_name == "app"
    assert heat.stacks.template("app")["description"] == "a small application"
    assert heat.stacks.environment("app")["parameters"] == {"word": "hi"}
    assert heat.stacks.files("app") == FILES
    assert heat.stacks.output_list("app")["outputs"] == [
        {"output_key": "word", "description": "what is said"},
        {"output_key": "words", "description": "No description given"},
        {"output_key": "wrong", "description": "No description given"},
    ]
    assert heat.output("app", "word") == "hi"
    wrong = heat.stacks.output_show("app", "wrong")["output"]
    assert wrong["output_value"] is None
    assert "list_join" in wrong["output_error"]


def test_resources(heat: Heat) -> None:
    heat.create("app")
    resources = heat.client.resources
    assert [r.resource_name for r in resources.list("app")] == RESOURCES
    everything = resources.list("app", nested_depth=5)
    assert [r.resource_name for r in everything] == TREE
    assert everything[0].stack_name == "app"
    assert everything[-1].stack_name.startswith("app-group-")
    assert everything[-1].parent_resource == "1"
    assert [link["rel"] for link in everything[3].links] == ["self", "stack", "nested"]
    assert [r.resource_name for r in resources.list("app", nested_depth=1)] == TREE[:6]
    leaves = resources.list("app", nested_depth=5, filters={"name": "leaf"}, with_detail=True)
    assert [r.attributes for r in leaves] == [{"output": "plain"}] * 2
    inside = everything[3].physical_resource_id
    assert [r.resource_name for r in resources.list(inside)] == ["0", "1"]
    text = resources.get("app", "text", with_attr=["output"])
    assert text.attributes["output"] == "plain"
    assert text.required_by == ["name"]
    assert resources.metadata("app", "text") == {"colour": "blue"}
    data = {"id": "1", "data": "ready", "status": "SUCCESS"}
    assert resources.signal("app", "handle", data=data) is None
    assert resources.metadata("app", "handle")["1"]["data"] == "ready"


def test_events(heat: Heat) -> None:
    heat.create("app")
    events = heat.client.events
    told = [(e.resource_name, e.resource_status) for e in events.list("app", sort_dir="asc")]
    assert told[0] == ("app", "CREATE_IN_PROGRESS")
    assert told[-1] == ("app", "CREATE_COMPLETE")
    assert ("group", "CREATE_COMPLETE") in told
    nested = event_utils.get_events(heat.client, "app", {"sort_dir": "asc"}, nested_depth=5)
    assert [e.resource_name for e in nested].count("leaf") == 4
    assert {e.stack_name for e in nested} > {"app"}
    page = events.list("app", sort_dir="asc", limit=3)
    rest = events.list("app", sort_dir="asc", marker=page[-1].id)
    assert [(e.resource_name, e.resource_status) for e in page + rest] == told
    done = events.list("app", "text", filters={"resource_status": "COMPLETE"})
    assert [e.resource_status for e in done] == ["CREATE_COMPLETE"]
    event = events.get("app", "text", done[0].id)
    assert event.resource_type == "OS::Heat::TestResource"
    assert event.resource_properties["value"] == "plain"


def test_listing(heat: Heat) -> None:
    ids = [heat.create(f"s{n}", template=TINY, tags=f"t{n},all") for n in range(5)]
    heat.create("tree", tags="t0")

    def names(**query: Any) -> list[str]:
        return [stack.stack_name for stack in heat.stacks.list(**query)]

    assert names() == ["tree", "s4", "s3", "s2", "s1", "s0"]
    assert names(sort_keys="stack_name", sort_dir="asc", limit=2) == ["s0", "s1"]
    assert names(sort_keys="stack_name", marker=ids[1], limit=3) == ["s2", "s3", "s4"]
    # The client asks again until it has as many as it was asked for, or there are no more.
    assert names(sort_keys="stack_name", limit=100) == ["s0", "s1", "s2", "s3", "s4", "tree"]
    assert names(filters={"stack_name": "s3"}) == ["s3"]
    assert names(filters={"status": "FAILED"}) == []
    assert names(tags="t0,all") == ["s0"]
    assert sorted(names(tags_any="t0,t1")) == ["s0", "s1", "tree"]
    assert names(not_tags="all") == ["tree"]
    assert names(not_tags_any="t0,t1,t2,t3") == ["s4"]
    assert len(names(show_nested=True)) == 9
    heat.stacks.delete("s0")
    heat.until(ids[0], "DELETE_COMPLETE")
    assert "s0" not in names()
    assert "s0" in names(show_deleted=True)
    gone = heat.stacks.get(ids[0])
    assert gone.stack_status == "DELETE_COMPLETE"
    assert gone.deletion_time is not None


def test_update_and_patch(heat: Heat) -> None:
    heat.create("app", parameters={"word": "hi", "size": 1}, tags="a")
    full = {"template": TEMPLATE, "files": FILES, "parameters": {"word": "bye"}}
    changes = heat.stacks.preview_update("app", **full)["resource_changes"]
    assert set(changes) == {"added", "deleted", "replaced", "unchanged", "updated"}
    assert {r["resource_name"] for r in changes["updated"]} == {"text", "group"}
    changes = heat.stacks.preview_update("app", show_nested=True, **full)["resource_changes"]
    assert {r["resource_name"] for r in changes["added"]} == {"1", "leaf"}
    assert heat.output("app", "word") == "hi", "a preview changes nothing"
    heat.act("app", "UPDATE", lambda: heat.stacks.update("app", **full))
    assert heat.output("app", "words") == ["bye", "bye"]
    assert heat.stacks.get("app").tags == []
    heat.act(
        "app",
        "UPDATE",
        lambda: heat.stacks.update("app", existing=True, parameters={"size": 1}, tags="b"),
    )
    stack = heat.stacks.get("app")
    assert (stack.parameters["size"], stack.parameters["word"]) == ("1", "bye")
    assert stack.tags == ["b"]
    heat.act(
        "app",
        "UPDATE",
        lambda: heat.stacks.update("app", existing=True, clear_parameters=["word"]),
    )
    assert heat.output("app", "words") == ["plain"]
    changes = heat.stacks.preview_update("app", existing=True, parameters={"size": 0})
    assert changes["resource_changes"]["added"] == []


def test_the_last_environment_file_wins_and_stays_the_last(heat: Heat) -> None:
    environments = {
        "one.yaml": "parameters: {word: one, size: 1}",
        "two.yaml": "parameters: {word: two}",
    }
    heat.create(
        "app",
        files=FILES | environments,
        environment_files=["one.yaml", "two.yaml"],
        environment={},
    )
    assert heat.output("app", "words") == ["two"]
    changed = {"one.yaml": "parameters: {word: uno, size: 2}"}
    heat.act(
        "app",
        "UPDATE",
        lambda: heat.stacks.update(
            "app", existing=True, files=changed, environment_files=["one.yaml"], environment={}
        ),
    )
    assert heat.output("app", "words") == ["two", "two"]
    assert set(heat.stacks.files("app")) == {"inner.yaml", "one.yaml", "two.yaml"}


def test_preview_of_a_new_stack(heat: Heat) -> None:
    preview = heat.stacks.preview(stack_name="app", template=TEMPLATE, files=FILES)
    assert preview.stack_name == "app"
    assert preview.parameters["word"] == "plain"
    flat = [r["resource_name"] for r in preview.resources if isinstance(r, dict)]
    assert flat == RESOURCES[:3]
    assert list(heat.stacks.list()) == []


def test_suspend_resume_and_check(heat: Heat) -> None:
    heat.create("app")
    actions = heat.client.actions
    heat.act("app", "SUSPEND", lambda: actions.suspend("app"))
    assert heat.status("app") == "SUSPEND_COMPLETE"
    words = refusal(exc.HTTPBadRequest, lambda: heat.stacks.update("app", existing=True))
    assert "Updating a stack when it is suspended is not supported." in words
    heat.act("app", "RESUME", lambda: actions.resume("app"))
    heat.act("app", "CHECK", lambda: actions.check("app"))
    stack = heat.stacks.get("app")
    assert stack.stack_status == "CHECK_COMPLETE"
    assert "'CHECK' not fully supported (see resources)" in stack.stack_status_reason
    assert {r.resource_status for r in heat.client.resources.list("app", nested_depth=5)} == {
        "CHECK_COMPLETE"
    }


def test_an_unhealthy_resource_is_replaced(heat: Heat) -> None:
    heat.create("app")
    resources = heat.client.resources
    before = resources.get("app", "text").physical_resource_id
    assert resources.mark_unhealthy("app", "text", True, "it smokes") is None
    marked = resources.get("app", "text")
    assert (marked.resource_status, marked.resource_status_reason) == ("CHECK_FAILED", "it smokes")
    resources.mark_unhealthy("app", "text", False, "")
    assert resources.get("app", "text").resource_status == "CHECK_COMPLETE"
    resources.mark_unhealthy("app", "text", True, "it smokes")
    heat.act("app", "UPDATE", lambda: heat.stacks.update("app", existing=True))
    assert resources.get("app", "text").physical_resource_id != before


def test_snapshot_and_restore(heat: Heat) -> None:
    heat.create("app", parameters={"word": "old"})
    stacks = heat.stacks
    made = heat.act("app", "SNAPSHOT", lambda: stacks.snapshot("app", "first"))
    assert (made["name"], made["status"]) == ("first", "IN_PROGRESS")
    (listed,) = stacks.snapshot_list("app")["snapshots"]
    assert (listed["id"], listed["status"]) == (made["id"], "COMPLETE")
    shown = stacks.snapshot_show("app", made["id"])["snapshot"]
    assert set(shown["data"]["resources"]) == set(RESOURCES)
    update = {"existing": True, "parameters": {"word": "new", "size": 3}}
    heat.act("app", "UPDATE", lambda: stacks.update("app", **update))
    assert heat.output("app", "words") == ["new"] * 3
    heat.act("app", "RESTORE", lambda: stacks.restore("app", made["id"]))
    assert heat.output("app", "words") == ["old"] * 2
    assert stacks.snapshot_delete("app", made["id"]) is None
    assert stacks.snapshot_list("app") == {"snapshots": []}
    assert "could not be found" in refusal(
        exc.HTTPNotFound, lambda: stacks.snapshot_show("app", made["id"])
    )


def test_abandon_and_adopt(heat: Heat) -> None:
    heat.create("app", parameters={"word": "hi"})

    def objects() -> dict[str, str]:
        found = heat.client.resources.list("app", nested_depth=5)
        return {
            f"{r.resource_name}{getattr(r, 'parent_resource', '')}": r.physical_resource_id
            for r in found
            # A stack inside is a new one, and a handle is nothing but its own mark.
            if "nested" not in [link["rel"] for link in r.links] and r.resource_name != "handle"
        }

    before = objects()
    exported = heat.stacks.export("app")
    document = heat.stacks.abandon("app")
    assert {key for key in exported if exported[key] != document[key]} == set()
    assert refusal(exc.HTTPNotFound, lambda: heat.stacks.get("app"))
    heat.create(
        "app",
        template=None,
        adopt_stack_data=json.dumps(document),
        parameters={},
        environment={},
        files=document["files"],
        timeout=None,
    )
    assert heat.status("app") == "ADOPT_COMPLETE"
    assert objects() == before
    assert heat.output("app", "words") == ["hi", "hi"]


def test_cancel(heat: Heat) -> None:
    heat.create("app")
    actions, stacks = heat.client.actions, heat.stacks
    words = refusal(exc.HTTPBadRequest, lambda: actions.cancel_update("app"))
    assert "Cancelling update when stack is CREATE_COMPLETE is not supported." in words
    long = {"existing": True, "parameters": {"word": "new", "seconds": 2}}
    stacks.update("app", **long)
    assert heat.status("app") == "UPDATE_IN_PROGRESS"
    words = refusal(exc.HTTPConflict, lambda: actions.check("app"))
    assert "Stack app already has an action (UPDATE) in progress." in words
    assert actions.cancel_update("app") is None
    heat.until("app", "ROLLBACK_COMPLETE")  # once what was begun has come to its end
    assert heat.output("app", "words") == ["plain", "plain"]
    stacks.update("app", **long)
    actions.cancel_without_rollback("app")
    heat.until("app", "UPDATE_FAILED")
    assert heat.stacks.get("app").stack_status_reason == "Stack UPDATE cancelled"


def test_a_failure_tells_its_reason(heat: Heat) -> None:
    made = heat.stacks.create(
        stack_name="app",
        template=TEMPLATE,
        files=FILES,
        parameters={"fail": "true"},
        disable_rollback=True,
    )
    heat.until("app", "CREATE_FAILED")
    stack = heat.stacks.get(made["stack"]["id"])
    assert stack.status == "FAILED"
    assert stack.stack_status_reason.startswith(
        "Resource CREATE failed: ValueError: resources.text"
    )
    assert "Test Resource failed text" in stack.stack_status_reason


def test_a_stack_that_failed_goes_when_rollback_is_wanted(heat: Heat) -> None:
    heat.stacks.create(
        stack_name="app",
        template=TEMPLATE,
        files=FILES,
        parameters={"fail": "true"},
        disable_rollback=False,
    )
    heat.until("app", "ROLLBACK_COMPLETE")
    assert heat.client.resources.list("app") == []


def test_unknown_names_and_conflicts(heat: Heat) -> None:
    heat.create("app", template=TINY)
    c = heat.client
    assert "The Stack (nono) could not be found." in refusal(
        exc.HTTPNotFound, lambda: c.stacks.get("nono")
    )
    for call in (c.stacks.delete, c.stacks.template, c.resources.list, c.actions.check):
        assert refusal(exc.HTTPNotFound, partial(call, "nono")) == (
            "ERROR: The Stack (nono) could not be found."
        )
    assert refusal(exc.HTTPNotFound, lambda: c.resources.get("app", "nono")) == (
        "ERROR: The Resource (nono) could not be found in Stack app."
    )
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.stacks.output_show("app", "nono"))
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.events.list("app", "nono"))
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.resource_types.get("nono"))
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.template_versions.get("nono"))
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.software_configs.get("nono"))
    assert "nono" in refusal(exc.HTTPNotFound, lambda: c.software_deployments.get("nono"))
    assert "The Stack (app) already exists." in refusal(
        exc.HTTPConflict, lambda: heat.create("app")
    )
    assert "Invalid stack name 9" in refusal(exc.HTTPBadRequest, lambda: heat.create("9"))
    strict = TEMPLATE.replace("default: plain", "description: what to say")
    assert "The Parameter (word) was not provided." in refusal(
        exc.HTTPBadRequest, lambda: heat.create("new", template=strict)
    )
    patch = {"existing": True, "parameters": {"nono": 1}}
    assert "nono" in refusal(exc.HTTPBadRequest, lambda: c.stacks.update("app", **patch))
    assert (
        "signal is not supported"
        in refusal(exc.HTTPBadRequest, lambda: c.resources.signal("app", "one")).lower()
    )


def test_what_the_server_knows(heat: Heat) -> None:
    c = heat.client
    names = [t.resource_type for t in c.resource_types.list()]
    assert "OS::Heat::RandomString" in names
    assert [t.resource_type for t in c.resource_types.list(filters={"name": "OS::Heat::Rand"})] == [
        "OS::Heat::RandomString"
    ]
    schema = c.resource_types.get("OS::Heat::RandomString")
    assert schema["properties"]["length"]["type"] == "integer"
    assert "heat_template_version" in c.resource_types.generate_template("OS::Heat::Value", "hot")
    assert "HeatTemplateFormatVersion" in c.resource_types.generate_template("OS::Heat::Value")
    versions = c.template_versions.list()
    assert "heat_template_version.wallaby" in versions[1].aliases + [
        alias for version in versions for alias in version.aliases
    ]
    functions = c.template_versions.get("heat_template_version.wallaby")
    assert "get_attr" in [f.functions for f in functions]
    assert set(c.build_info.build_info()) == {"api", "engine"}
    (service,) = c.services.list()
    assert (service.binary, service.status) == ("hotplate", "up")
    answer = heat.stacks.validate(template=TEMPLATE, files=FILES, show_nested=True)
    assert answer["Parameters"]["word"]["Default"] == "plain"
    assert answer["NestedParameters"]["group"]["Type"] == "OS::Heat::ResourceGroup"


def test_software_configs_and_deployments(heat: Heat) -> None:
    configs, deployments = heat.client.software_configs, heat.client.software_deployments
    made = configs.create(
        name="hello", group="script", config="echo $x", inputs=[{"name": "x"}], options={}
    )
    assert configs.get(made.id).config == "echo $x"
    assert [c.name for c in configs.list()] == ["hello"]
    server = "7d4d2b1c-6a5f-4b5e-9d39-1f1f5e1b1a11"
    deployment = deployments.create(
        config_id=made.id, server_id=server, action="CREATE", status="IN_PROGRESS"
    )
    assert [d.id for d in deployments.list(server_id=server)] == [deployment.id]
    (metadata,) = deployments.metadata(server_id=server)
    assert (metadata["name"], metadata["config"]) == ("hello", "echo $x")
    deployments.update(deployment.id, status="COMPLETE", output_values={"deploy_stdout": "hi"})
    assert deployments.get(deployment.id).output_values == {"deploy_stdout": "hi"}
    assert refusal(exc.HTTPConflict, lambda: configs.delete(made.id))
    deployments.delete(deployment.id)
    configs.delete(made.id)
    assert list(configs.list()) == []


def test_delete_takes_everything_along(heat: Heat) -> None:
    stack_id = heat.create("app")
    heat.stacks.delete("app")
    heat.until(stack_id, "DELETE_COMPLETE")
    assert list(heat.stacks.list(show_nested=True)) == []
    assert refusal(exc.HTTPNotFound, lambda: heat.stacks.delete(stack_id))
