"""`openstack stack hook poll` and `clear` on the real server."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.acceptance.clients.openstack_command import PATIENCE, Openstack, openstack
from tests.acceptance.serving import serving

TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: one}
resources:
  first:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}}
  second:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}}
    depends_on: first
  inner:
    type: inner.yaml
    properties: {word: {get_param: word}}
"""
INNER = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
resources:
  deep:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}}
"""
COLUMNS = ("Resource Name", "Resource Status Reason", "Resource Status")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Openstack]:
    folder = tmp_path_factory.mktemp("hooks")
    with serving() as served, openstack(served.endpoint("project"), folder) as command:
        command.write("app.yaml", TEMPLATE)
        command.write("inner.yaml", INNER)
        yield command


def polled(run: Openstack, name: str, *names: str, depth: str = "") -> list[dict[str, Any]]:
    """Return what waits, once these resources do."""
    given = ("--nested-depth", depth) if depth else ()
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        found: list[dict[str, Any]] = run.json("stack", "hook", "poll", name, *given)
        if sorted(each["Resource Name"] for each in found) == sorted(names):
            return found
    raise AssertionError(found)


def ended(run: Openstack, name: str, state: str) -> None:
    limit = time.monotonic() + PATIENCE
    while (now := run.json("stack", "show", name)["stack_status"]).endswith("_IN_PROGRESS"):
        assert time.monotonic() < limit, now
    assert now == state


def test_a_creation_is_stopped_and_let_go_on(run: Openstack) -> None:
    hooks = ("--pre-create", "sec*", "--pre-create", "inner/*")
    run.ok("stack", "create", "-t", "app.yaml", *hooks, "made")
    (waits,) = polled(run, "made", "second")
    assert [waits[column] for column in COLUMNS] == [
        "second",
        "CREATE paused until Hook pre-create is cleared",
        "INIT_COMPLETE",
    ]
    found = polled(run, "made", "second", "deep", depth="2")
    (deep,) = [each for each in found if each["Resource Name"] == "deep"]
    assert deep["Stack Name"].startswith("made-inner-")
    run.ok("stack", "hook", "clear", "made", "second")
    polled(run, "made", "deep", depth="2")
    run.ok("stack", "hook", "clear", "--pre-create", "made", "inner/*")
    ended(run, "made", "CREATE_COMPLETE")
    assert "not IN_PROGRESS" in run.refused("stack", "hook", "poll", "made")


def test_an_update_and_a_deletion_are_stopped_and_let_go_on(run: Openstack) -> None:
    run.write("guard.yaml", "resource_registry: {resources: {first: {hooks: pre-delete}}}\n")
    run.ok("stack", "create", "--wait", "-t", "app.yaml", "-e", "guard.yaml", "kept")
    word = ("-e", "guard.yaml", "--parameter", "word=two", "--pre-update", "second")
    run.ok("stack", "update", "-t", "app.yaml", *word, "kept")
    (waits,) = polled(run, "kept", "second")
    assert waits["Resource Status Reason"] == "UPDATE paused until Hook pre-update is cleared"
    assert waits["Resource Status"] == "CREATE_COMPLETE"
    refusal = run.refused("stack", "hook", "clear", "--pre-update", "kept", "first")
    assert 'The "pre-update" hook is not defined on TestResource "first"' in refusal
    run.ok("stack", "hook", "clear", "kept", "second")
    ended(run, "kept", "UPDATE_COMPLETE")
    run.ok("stack", "delete", "--yes", "kept")
    (waits,) = polled(run, "kept", "first")
    assert waits["Resource Status Reason"] == "DELETE paused until Hook pre-delete is cleared"
    stopped = run.begin("stack", "delete", "--yes", "--wait", "kept")
    stopped.printed("DELETE paused until Hook pre-delete is cleared")
    run.ok("stack", "hook", "clear", "--pre-delete", "kept", "first")
    assert stopped.end().code == 0
