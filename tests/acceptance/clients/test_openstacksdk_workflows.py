"""openstacksdk finds the workflow API of the real server by discovery, and uses it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openstack
import pytest
from openstack import exceptions
from openstack.connection import Connection

from tests.acceptance.serving import Served, serving

pytestmark = pytest.mark.filterwarnings(
    "ignore::PendingDeprecationWarning", "ignore::openstack.warnings.LegacyAPIWarning"
)

WORKFLOW = """
version: '2.0'
add:
  input: [a, b]
  output: {sum: <% $.a + $.b %>}
  tasks:
    t: {action: std.noop}
"""
PATIENCE = 30.0


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture
def cloud(served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Connection]:
    """The endpoint as an operator writes it into a catalogue: with the version, as Mistral's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    endpoint = f"{served.url}/v2"
    with openstack.connect(
        load_yaml_config=False,
        load_envvars=False,
        auth_type="none",
        endpoint=endpoint,
        workflow_endpoint_override=endpoint,
    ) as connection:
        yield connection


def ended(cloud: Connection, execution_id: str) -> Any:
    end = time.monotonic() + PATIENCE
    while True:
        found = cloud.workflow.get_execution(execution_id)
        if found.status not in ("IDLE", "RUNNING"):
            return found
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_workflow_is_made_run_and_removed(cloud: Connection) -> None:
    flows = cloud.workflow
    flows.create_workflow(scope="private", definition=WORKFLOW)
    workflow = flows.find_workflow("add", ignore_missing=False)
    assert [each.name for each in flows.workflows()] == ["add"]
    begun = flows.create_execution(
        workflow_name="add", input=json.dumps({"a": 1, "b": 2}), description="by the SDK"
    )
    found = ended(cloud, begun.id)
    assert (found.status, json.loads(found.output)) == ("SUCCESS", {"sum": 3})
    more = [flows.create_execution(workflow_name="add", input='{"a": 1, "b": 1}') for _ in range(3)]
    listed = [each.id for each in flows.executions(limit=2)]
    assert listed == [begun.id, *(each.id for each in more)], "page after page"
    trigger = flows.create_cron_trigger(
        name="yearly",
        pattern="0 0 1 1 *",
        remaining_executions=2,
        workflow_id=workflow.id,
        workflow_input={"a": 1, "b": 1},
    )
    assert flows.get_cron_trigger(trigger).name == "yearly"
    assert [each.name for each in flows.cron_triggers()] == ["yearly"]
    flows.delete_cron_trigger(trigger)
    for each in (begun, *more):
        flows.delete_execution(each)
    flows.delete_workflow(workflow)
    assert list(flows.executions()) == []
    with pytest.raises(exceptions.NotFoundException):
        flows.get_workflow(workflow.id)


def test_both_apis_are_found_on_one_server(served: Served, tmp_path: Path) -> None:
    with openstack.connect(
        load_yaml_config=False,
        load_envvars=False,
        auth_type="none",
        endpoint=served.url,
        workflow_endpoint_override=f"{served.url}/v2",
        orchestration_endpoint_override=served.endpoint(),
    ) as connection:
        assert connection.workflow.get_api_major_version() == (2, 0)
        assert connection.orchestration.get_api_major_version() == (1, 0)
        assert list(connection.orchestration.stacks()) == []
