"""`openstack stack`, `orchestration` and `software` on the real server: what they print."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.acceptance.clients.openstack_command import Openstack, openstack
from tests.acceptance.clients.small_application import INNER, RESOURCES, TEMPLATE, TINY, TREE
from tests.acceptance.serving import serving


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Openstack]:
    folder = tmp_path_factory.mktemp("command")
    with serving() as served, openstack(served.endpoint("project"), folder) as command:
        command.write("app.yaml", TEMPLATE)
        command.write("inner.yaml", INNER)
        command.write("tiny.yaml", TINY)
        yield command


@pytest.fixture
def app(run: Openstack, request: pytest.FixtureRequest) -> str:
    """The name of a stack that has been created for this test."""
    name = str(request.node.name).removeprefix("test_")
    run.ok("stack", "create", "--wait", "-t", "app.yaml", name)
    return name


def words(run: Openstack, name: str) -> Any:
    return run.json("stack", "output", "show", name, "words")["output_value"]


def rows(run: Openstack, *arguments: str) -> list[str]:
    """Return the first column of a list."""
    return run.ok(*arguments, "-f", "value").split()


def test_create_and_show(run: Openstack) -> None:
    run.write("one.yaml", "parameters: {word: one, size: 1}\n")
    run.write("two.yaml", "parameters: {word: two}\n")
    run.write("secret.txt", "pst")
    files = ("-e", "one.yaml", "-e", "two.yaml", "--parameter-file", "secret=secret.txt")
    told = ("--tags", "a,b", "--timeout", "5", "--poll", "1", "--enable-rollback")
    printed = run.ok("stack", "create", "--wait", "-t", "app.yaml", *files, *told, "shown")
    assert "[shown]: CREATE_IN_PROGRESS  Stack CREATE started" in printed
    assert "| stack_status_reason | Stack CREATE completed successfully" in printed
    shown = run.json("stack", "show", "shown")
    assert shown["stack_status"] == "CREATE_COMPLETE"
    assert shown["description"] == "a small application"
    assert shown["parameters"]["word"] == "two"
    assert shown["parameters"]["secret"] == "******"
    assert shown["tags"] == ["a", "b"]
    assert (shown["timeout_mins"], shown["disable_rollback"]) == (5, False)
    assert shown["outputs"][0] == {
        "output_key": "word",
        "output_value": "two",
        "description": "what is said",
    }
    assert run.json("stack", "show", shown["id"])["stack_name"] == "shown"
    assert "outputs" not in run.json("stack", "show", "shown", "--no-resolve-outputs")
    table = run.ok("stack", "show", "shown")
    assert "| parameters " in table
    assert "word: two" in table
    template = yaml.safe_load(run.ok("stack", "template", "show", "shown"))
    assert template["description"] == "a small application"
    environment = yaml.safe_load(run.ok("stack", "environment", "show", "shown"))
    assert environment["parameters"] == {"word": "two", "size": 1, "secret": "******"}
    assert set(environment) == {"parameters", "resource_registry", "parameter_defaults"}
    kept = yaml.safe_load(run.ok("stack", "file", "list", "shown"))["files"]
    assert {name.rsplit("/", 1)[1] for name in kept} == {"inner.yaml", "one.yaml", "two.yaml"}


def test_outputs(run: Openstack, app: str) -> None:
    assert run.json("stack", "output", "list", app) == [
        {"output_key": "word", "description": "what is said"},
        {"output_key": "words", "description": "No description given"},
        {"output_key": "wrong", "description": "No description given"},
    ]
    assert words(run, app) == ["plain", "plain"]
    everything = run.json("stack", "output", "show", app, "--all")
    assert everything["word"]["output_value"] == "plain"
    assert "Output error: outputs.wrong" in run.refused("stack", "output", "show", app, "wrong")
    assert run.refused("stack", "output", "show", app, "nono") == (
        f"Stack {app} or output nono not found.\n"
    )


def test_resources(run: Openstack, app: str) -> None:
    resource = ("stack", "resource")
    assert rows(run, *resource, "list", app, "-c", "resource_name") == RESOURCES
    tree = run.json(*resource, "list", app, "-n", "5")
    assert [row["resource_name"] for row in tree] == TREE
    assert {row["resource_status"] for row in tree} == {"CREATE_COMPLETE"}
    assert tree[0]["stack_name"] == app
    assert tree[4]["stack_name"].startswith(f"{app}-group-")
    only = (*resource, "list", app, "-n", "5", "--filter", "type=OS::Heat::TestResource")
    assert rows(run, *only, "-c", "resource_name") == ["text", "leaf", "leaf"]
    assert len(run.json(*resource, "list", app, "--long")) == 4
    dot = run.ok(*resource, "list", app, "-n", "5", "-f", "dot")
    assert dot.startswith("digraph G {")
    assert "OS::Heat::RandomString" in dot
    text = run.json(*resource, "show", app, "text", "--with-attr", "output")
    assert text["attributes"] == {"output": "plain"}
    assert text["required_by"] == ["name"]
    assert run.json(*resource, "metadata", app, "text") == {"colour": "blue"}
    data = '{"id": "1", "data": "ready", "status": "SUCCESS"}'
    assert run.ok(*resource, "signal", app, "handle", "--data", data) == ""
    assert run.json(*resource, "metadata", app, "handle")["1"]["data"] == "ready"
    run.ok(*resource, "mark", "unhealthy", app, "text", "it smokes")
    marked = run.json(*resource, "show", app, "text")
    assert marked["resource_status"] == "CHECK_FAILED"
    assert marked["resource_status_reason"] == "it smokes"
    run.ok(*resource, "mark", "unhealthy", "--reset", app, "text")
    assert run.json(*resource, "show", app, "text")["resource_status"] == "CHECK_COMPLETE"
    assert run.refused(*resource, "show", app, "nono") == (
        f"Stack or resource not found: {app} nono\n"
    )
    assert "signal is not supported" in run.refused(*resource, "signal", app, "text").lower()


def test_events(run: Openstack, app: str) -> None:
    event = ("stack", "event")
    following = run.begin(*event, "list", app, "--follow", "--nested-depth", "5")
    following.printed(f"[{app}]: CREATE_COMPLETE")
    run.ok("stack", "update", "--existing", "--parameter", "word=new", app)
    following.printed(f"[{app}]: UPDATE_COMPLETE  Stack UPDATE completed successfully")
    ended = following.interrupt()
    assert ended.code == 0
    assert f"[{app}.group.1.leaf]: UPDATE_COMPLETE  state changed" in ended.out
    log = run.ok(*event, "list", app)
    assert log.splitlines()[0].endswith(f"[{app}]: CREATE_IN_PROGRESS  Stack CREATE started")
    assert "leaf" not in log
    table = run.json(*event, "list", app, "--nested-depth", "5")
    assert [row["resource_name"] for row in table].count("leaf") == 8
    assert table[0]["stack_name"] == app
    first = run.json(*event, "list", app, "--limit", "3")
    rest = run.json(*event, "list", app, "--marker", first[-1]["id"])
    assert first + rest == run.json(*event, "list", app)
    newest = run.json(*event, "list", app, "--sort", ":desc", "--limit", "1")
    assert newest[0]["resource_status"] == "UPDATE_COMPLETE"
    of_text = run.json(*event, "list", app, "--resource", "text")
    assert {row["resource_name"] for row in of_text} == {"text"}
    created = run.json(*event, "list", app, "--filter", "resource_action=CREATE")
    assert "UPDATE_COMPLETE" not in {row["resource_status"] for row in created}
    shown = run.json(*event, "show", app, "text", of_text[0]["id"])
    assert shown["resource_type"] == "OS::Heat::TestResource"
    assert "nono" in run.refused(*event, "list", app, "--resource", "nono")


def test_list(run: Openstack) -> None:
    for number, tags in enumerate(("red", "red,blue", "blue", "green")):
        run.ok("stack", "create", "-t", "tiny.yaml", "--tags", f"{tags},L", f"list{number}")
    run.ok("stack", "create", "--wait", "-t", "app.yaml", "--tags", "L", "list-tree")

    def named(*arguments: str) -> list[str]:
        return rows(run, "stack", "list", "-c", "Stack Name", *arguments)

    assert named("--tags", "L") == ["list-tree", "list3", "list2", "list1", "list0"]
    assert named("--tags", "red,blue") == ["list1"]
    assert named("--tags", "green,blue", "--tag-mode", "any") == ["list3", "list2", "list1"]
    assert "list0" not in named("--tags", "red", "--tag-mode", "not")
    assert "list1" not in named("--tags", "red,blue", "--tag-mode", "not-any")
    assert named("--property", "stack_name=list2") == ["list2"]
    assert named("--property", "status=FAILED", "--tags", "L") == []
    assert named("--tags", "L", "--sort", "stack_name:asc")[:2] == ["list-tree", "list0"]
    assert named("--tags", "L", "--limit", "2") == ["list-tree", "list3"]
    marker = run.json("stack", "show", "list3")["id"]
    assert named("--tags", "L", "--marker", marker) == ["list2", "list1", "list0"]
    parent = run.json("stack", "show", "list-tree")["id"]
    nested = run.json("stack", "list", "--nested", "--property", f"owner_id={parent}")
    assert [row["Parent"] for row in nested] == [parent]
    short = run.json("stack", "list", "--short")[0]
    assert list(short) == ["ID", "Stack Name", "Project", "Stack Status"]
    run.ok("stack", "delete", "--yes", "--wait", "list0")
    assert "list0" not in named()
    deleted = {row["Stack Name"]: row for row in run.json("stack", "list", "--deleted")}
    assert deleted["list0"]["Stack Status"] == "DELETE_COMPLETE"
    assert deleted["list0"]["Deletion Time"]


def test_update(run: Openstack, app: str) -> None:
    update = ("stack", "update", "--wait")
    full = ("-t", "app.yaml", "--parameter", "word=new;size=1", "--tags", "x", app)
    printed = run.ok(*update, *full)
    assert f"[{app}]: UPDATE_IN_PROGRESS  Stack UPDATE started" in printed
    assert "| stack_status        | UPDATE_COMPLETE" in printed
    assert words(run, app) == ["new"]
    assert run.json("stack", "show", app)["tags"] == ["x"]
    run.ok(*update, "--existing", "--parameter", "size=2", app)
    assert words(run, app) == ["new", "new"]
    run.write("later.yaml", "parameters: {seconds: 0.1}\nparameter_defaults: {word: default}\n")
    run.ok(*update, "--existing", "-e", "later.yaml", "--clear-parameter", "word", app)
    assert words(run, app) == ["default", "default"]
    assert run.json("stack", "show", app)["parameters"]["seconds"] == "0.1"
    run.ok(*update, "--existing", "--rollback", "enabled", "--converge", app)
    assert run.json("stack", "show", app)["disable_rollback"] is False
    failing = run(*update, "--existing", "--rollback", "disabled", "--parameter", "fail=true", app)
    assert failing.code == 1
    assert f"Stack {app} UPDATE_FAILED" in failing.err
    run.ok(*update, "-t", "app.yaml", app)
    assert words(run, app) == ["plain", "plain"]


def test_dry_runs(run: Openstack, app: str) -> None:
    preview = run.json("stack", "create", "--dry-run", "-t", "app.yaml", "unborn")
    assert preview["stack_name"] == "unborn"
    planned = preview["resources"]
    assert [r["resource_name"] for r in planned if isinstance(r, dict)] == RESOURCES[:3]
    assert preview["parameters"]["word"] == "plain"
    assert run.refused("stack", "show", "unborn") == "Stack not found: unborn\n"
    update = ("stack", "update", "--dry-run", "--existing", "--parameter", "word=new")

    def changed(*arguments: str) -> dict[str, list[str]]:
        changes = run.json(*update, *arguments, app)
        return {key: [r["resource_name"] for r in value] for key, value in changes.items()}

    flat = changed()
    assert list(flat) == ["added", "deleted", "replaced", "unchanged", "updated"]
    assert sorted(flat["updated"]) == ["group", "text"]
    assert sorted(flat["unchanged"]) == ["handle", "name"]
    deep = changed("--show-nested", "--parameter", "size=3")
    assert sorted(deep["added"]) == ["2", "leaf"]
    assert deep["updated"].count("leaf") == 2
    assert words(run, app) == ["plain", "plain"]


def test_suspend_resume_and_check(run: Openstack, app: str) -> None:
    for action in ("suspend", "resume", "check"):
        printed = run.ok("stack", action, "--wait", app)
        assert f"[{app}]: {action.upper()}_IN_PROGRESS  Stack {action.upper()} started" in printed
        assert f"| {action.upper()}_COMPLETE" in printed
    assert run.refused("stack", "check", "nono") == "Stack not found: nono\n"


def test_snapshots(run: Openstack, app: str) -> None:
    snapshot = ("stack", "snapshot")
    made = run.json(*snapshot, "create", "--name", "first", app)
    assert (made["name"], made["status"]) == ("first", "IN_PROGRESS")
    following = run.begin("stack", "event", "list", app, "--follow")
    following.printed(f"[{app}]: SNAPSHOT_COMPLETE")
    (listed,) = run.json(*snapshot, "list", app)
    assert (listed["id"], listed["name"], listed["status"]) == (made["ID"], "first", "COMPLETE")
    shown = yaml.safe_load(run.ok(*snapshot, "show", app, made["ID"]))["snapshot"]
    assert set(shown["data"]["resources"]) == set(RESOURCES)
    run.ok("stack", "update", "--wait", "--existing", "--parameter", "word=new", app)
    assert run.ok(*snapshot, "restore", app, made["ID"]) == ""
    following.printed(f"[{app}]: RESTORE_COMPLETE")
    assert following.interrupt().code == 0
    assert words(run, app) == ["plain", "plain"]
    run.ok(*snapshot, "delete", "--yes", app, made["ID"])
    assert run.json(*snapshot, "list", app) == []
    assert run.refused(*snapshot, "show", app, made["ID"]) == (
        f"Snapshot ID <{made['ID']}> not found for stack <{app}>\n"
    )


def test_abandon_and_adopt(run: Openstack, app: str) -> None:
    exported = run.json("stack", "export", app)
    assert exported["name"] == app
    assert run.ok("stack", "export", app, "--output-file", "exported.json").strip() == ""
    before = rows(run, "stack", "resource", "list", app, "-n", "5", "-c", "physical_resource_id")
    run.ok("stack", "abandon", app, "--output-file", "abandoned.json")
    assert run.refused("stack", "show", app) == f"Stack not found: {app}\n"
    written = json.loads((run.folder / "abandoned.json").read_text(encoding="utf-8"))
    assert written["resources"] == exported["resources"]
    adopt = ("stack", "adopt", "--wait", "--adopt-file", "abandoned.json", app)
    printed = run.ok(*adopt)
    assert f"[{app}]: ADOPT_IN_PROGRESS  Stack ADOPT started" in printed
    assert "| stack_status        | ADOPT_COMPLETE" in printed
    after = rows(run, "stack", "resource", "list", app, "-n", "5", "-c", "physical_resource_id")
    named = [value for value in before if value.startswith(app)]
    assert [value for value in after if value.startswith(app)] == named
    assert len(named) == 4
    assert words(run, app) == ["plain", "plain"]
    assert "already exists" in run.refused(*adopt)


def test_cancel(run: Openstack, app: str) -> None:
    assert run.refused("stack", "cancel", app) == (
        f"Stack {app} with status 'create_complete' not in cancelable state\n"
    )
    change = ("stack", "update", "--existing", "--parameter", "word=new;seconds=5", app)
    assert run.json(*change)["stack_status"] == "UPDATE_IN_PROGRESS"
    assert "already has an action (UPDATE) in progress" in run.refused("stack", "check", app)
    printed = run.ok("stack", "cancel", "--wait", app)
    assert "| ROLLBACK_COMPLETE |" in printed
    assert words(run, app) == ["plain", "plain"]
    run.ok(*change)
    cancelled = run("stack", "cancel", "--no-rollback", "--wait", app)
    assert cancelled.code == 1
    assert f"Stack {app} UPDATE_FAILED" in cancelled.err
    assert run.json("stack", "show", app)["stack_status_reason"] == "Stack UPDATE cancelled"


def test_failures(run: Openstack) -> None:
    broken = INNER.replace("value: {get_param: word}", "value: {get_param: word}, fail: true")
    run.write("broken.yaml", TEMPLATE.replace("inner.yaml", "broken_inner.yaml"))
    run.write("broken_inner.yaml", broken)
    failed = run("stack", "create", "--wait", "-t", "broken.yaml", "broken")
    assert failed.code == 1
    assert "Stack broken CREATE_FAILED" in failed.err
    listed = run.ok("stack", "failures", "list", "broken", "--long")
    assert "broken.group.0.leaf:\n  resource_type: OS::Heat::TestResource\n" in listed
    assert "  status: CREATE_FAILED\n" in listed
    assert "ValueError: resources.leaf: Test Resource failed leaf" in listed
    run.ok("stack", "delete", "-y", "--wait", "broken")


def test_delete(run: Openstack, app: str) -> None:
    stack_id = run.json("stack", "show", app)["id"]
    printed = run.ok("stack", "delete", "-y", "--wait", app)
    assert f"[{app}]: DELETE_IN_PROGRESS  Stack DELETE started" in printed
    assert run.json("stack", "show", stack_id)["stack_status"] == "DELETE_COMPLETE"
    gone = run("stack", "delete", "-y", app, "nono")
    assert gone.code == 1
    assert gone.out == f"Stack not found: {app}\nStack not found: nono\n"
    assert gone.err == "Unable to delete 2 of the 2 stacks.\n"


def test_refusals(run: Openstack) -> None:
    create = ("stack", "create", "-t")
    assert "Invalid stack name 9" in run.refused(*create, "tiny.yaml", "9")
    run.write("strict.yaml", "heat_template_version: wallaby\nparameters: {p: {type: string}}\n")
    assert "The Parameter (p) was not provided." in run.refused(*create, "strict.yaml", "strict")
    run.write("odd.yaml", "heat_template_version: wallaby\nresources: {a: {type: No::Such}}\n")
    assert "No::Such" in run.refused(*create, "odd.yaml", "odd")
    nono = ("--existing", "nono")
    assert "The Stack (nono) could not be found." in run.refused("stack", "update", *nono)


def test_what_the_server_knows(run: Openstack) -> None:
    info = ("orchestration",)
    types = rows(run, *info, "resource", "type", "list")
    assert "OS::Heat::RandomString" in types
    few = (*info, "resource", "type", "list", "--filter", "name=OS::Heat::Rand", "--long")
    (random,) = run.json(*few)
    assert random["Resource Type"] == "OS::Heat::RandomString"
    assert random["Description"]
    show = (*info, "resource", "type", "show", "OS::Heat::RandomString")
    schema = yaml.safe_load(run.ok(*show))
    assert schema["properties"]["length"]["type"] == "integer"
    template = yaml.safe_load(run.ok(*show, "--template-type", "hot"))
    assert "length" in template["parameters"]
    assert (
        run.refused(*info, "resource", "type", "show", "nono") == "Resource type not found: nono\n"
    )
    versions = run.json(*info, "template", "version", "list")
    assert ["heat_template_version.wallaby"] in [row["Aliases"] for row in versions]
    function = (*info, "template", "function", "list", "heat_template_version.wallaby")
    assert {"get_attr", "if"} <= {row["Functions"] for row in run.json(*function)}
    with_conditions = {row["Functions"] for row in run.json(*function, "--with_conditions")}
    assert "and" in with_conditions
    valid = (*info, "template", "validate", "-t", "app.yaml", "--show-nested")
    answer = yaml.safe_load(run.ok(*valid, "--parameter", "word=hi"))
    assert answer["Parameters"]["word"]["Value"] == "hi"
    assert answer["NestedParameters"]["group"]["Type"] == "OS::Heat::ResourceGroup"
    (service,) = run.json(*info, "service", "list")
    assert (service["Binary"], service["Topic"], service["Status"]) == ("hotplate", "engine", "up")
    assert set(run.json(*info, "build", "info")) == {"api", "engine"}


def test_software(run: Openstack) -> None:
    run.write("hello.sh", "echo $x")
    run.write("definition.yaml", "inputs: [{name: x}]\noutputs: [{name: y}]\n")
    files = ("--config-file", "hello.sh", "--definition-file", "definition.yaml")
    config = ("software", "config")
    made = run.json(*config, "create", "hello", "--group", "script", *files)
    assert made["group"] == "script"
    shown = yaml.safe_load(run.ok(*config, "show", made["id"]))
    assert (shown["config"], shown["inputs"][0]["name"]) == ("echo $x", "x")
    assert run.ok(*config, "show", made["id"], "--config-only").strip() == "echo $x"
    assert "hello" in {row["name"] for row in run.json(*config, "list", "--limit", "10")}
    server = "3f7bd2f5-8c5b-43b5-8a3c-5b5a2d7a4f01"
    deployment = ("software", "deployment")
    told = ("--server", server, "--config", made["id"], "--input-value", "x=1")
    deployed = yaml.safe_load(
        run.ok(*deployment, "create", *told, "--signal-transport", "NO_SIGNAL", "one")
    )
    assert deployed["status"] == "IN_PROGRESS"
    (listed,) = run.json(*deployment, "list", "--server", server, "--long")
    assert listed["id"] == deployed["id"]
    assert run.json(*deployment, "show", deployed["id"], "--long")["server_id"] == server
    (metadata,) = json.loads(run.ok(*deployment, "metadata", "show", server))
    values = {entry["name"]: entry.get("value") for entry in metadata["inputs"]}
    assert (metadata["config"], values["x"], values["deploy_server_id"]) == ("echo $x", "1", server)
    assert run.ok(*deployment, "output", "show", deployed["id"], "--all") == ""
    assert run.ok(*deployment, "delete", deployed["id"]) == ""
    run.ok(*config, "delete", made["id"])
    assert made["id"] not in rows(run, *config, "list", "-c", "id")
    assert run.refused(*config, "show", made["id"]) == f"Configuration not found: {made['id']}\n"
    missing = run(*deployment, "delete", deployed["id"])
    assert (missing.code, missing.out) == (1, f"Deployment with ID {deployed['id']} not found\n")
