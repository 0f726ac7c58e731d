"""An agent on a server: it asks for its metadata, applies what is new, and reports back.

Everything goes over HTTP to a real `hotplate serve`, by signed addresses alone.
"""

import json
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.serving import PATIENCE, Served, end, start, stop

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "wallaby",
    "parameters": {"who": {"type": "string"}},
    "resources": {
        "web": {"type": "OS::Heat::DeployedServer"},
        "greet": {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {
                "group": "greet",
                "config": "hello, %s",
                "inputs": [{"name": "who"}],
                "outputs": [{"name": "greeting"}],
            },
        },
        "deployment": {
            "type": "OS::Heat::SoftwareDeployment",
            "properties": {
                "config": {"get_resource": "greet"},
                "server": {"get_resource": "web"},
                "input_values": {"who": {"get_param": "who"}},
                "actions": ["CREATE", "UPDATE", "DELETE"],
            },
        },
    },
    "outputs": {
        "greeting": {"value": {"get_attr": ["deployment", "greeting"]}},
        "metadata_url": {
            "value": {"get_attr": ["web", "os_collect_config", "request", "metadata_url"]}
        },
    },
}


class Agent:
    """Does what os-collect-config and heat-config do, for configs of the group "greet"."""

    def __init__(self, metadata_url: str) -> None:
        self.metadata_url = metadata_url
        self.applied: list[tuple[str, str]] = []
        self._seen: set[str] = set()

    def poll(self, code: int = 0) -> int:
        """Apply and report each config that is new; return how many there were."""
        answer = httpx.get(self.metadata_url)
        answer.raise_for_status()
        new = [each for each in answer.json()["deployments"] if each["id"] not in self._seen]
        for config in new:
            inputs = {each["name"]: each["value"] for each in config["inputs"]}
            greeting = config["config"] % inputs["who"]
            self.applied.append((inputs["deploy_action"], greeting))
            report = {"greeting": greeting, "deploy_stdout": "", "deploy_status_code": code}
            # As the agent sends it: JSON, and no word about what it is.
            told = httpx.request(
                inputs["deploy_signal_verb"],
                inputs["deploy_signal_id"],
                content=json.dumps(report),
            )
            told.raise_for_status()
            self._seen.add(config["id"])
        return len(new)

    def work(self) -> None:
        """Poll until there was something to do."""
        end = time.monotonic() + PATIENCE
        while not self.poll():
            assert time.monotonic() < end, "nothing was deployed"
            time.sleep(0.02)


class Stack:
    """A stack, seen through the API."""

    def __init__(self, served: Served, who: str) -> None:
        self.served = served
        body = {"stack_name": "app", "template": TEMPLATE, "parameters": {"who": who}}
        answer = httpx.post(f"{served.endpoint()}/stacks", json=body)
        assert answer.status_code == 201, answer.text
        self.path = f"/stacks/app/{answer.json()['stack']['id']}"

    @property
    def address(self) -> str:
        return f"{self.served.endpoint()}{self.path}"

    def show(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(self.address, timeout=30).json()["stack"]
        return found

    def wait(self) -> str:
        end = time.monotonic() + PATIENCE
        while True:
            state = str(self.show()["stack_status"])
            if not state.endswith("IN_PROGRESS"):
                return state
            assert time.monotonic() < end, f"still {state}"
            time.sleep(0.02)

    def output(self, name: str) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            found = {each["output_key"]: each["output_value"] for each in self.show()["outputs"]}
            if found.get(name) is not None:
                return found[name]
            assert time.monotonic() < end, f"there is no {name}"
            time.sleep(0.02)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hotplate-") as name:
        yield Path(name)


def test_a_server_is_configured_by_its_agent_and_a_killed_engine_changes_nothing(
    folder: Path,
) -> None:
    database = f"sqlite:///{folder / 'hotplate.db'}"
    served = start(database=database, folder=folder)
    try:
        stack = Stack(served, "ann")
        agent = Agent(stack.output("metadata_url"))
        agent.work()
        assert stack.wait() == "CREATE_COMPLETE"
        assert stack.output("greeting") == "hello, ann"
        assert agent.poll() == 0

        body = {"template": TEMPLATE, "parameters": {"who": "bob"}}
        assert httpx.put(stack.address, json=body).status_code == 202
        port = served.url.rpartition(":")[2]
        served.process.send_signal(signal.SIGKILL)
        end(served)
        served = start("--listen", f"127.0.0.1:{port}", database=database, folder=folder)
        stack.served = served
        agent.work()
        assert stack.wait() == "UPDATE_COMPLETE"
        assert stack.output("greeting") == "hello, bob"

        assert httpx.delete(stack.address).status_code == 204
        agent.work()
        assert stack.wait() == "DELETE_COMPLETE"
        assert agent.applied == [
            ("CREATE", "hello, ann"),
            ("UPDATE", "hello, bob"),
            ("DELETE", "hello, bob"),
        ]
        assert httpx.get(agent.metadata_url).status_code == 403
        for kind in ("software_configs", "software_deployments"):
            assert httpx.get(f"{served.endpoint()}/{kind}").json() == {kind: []}
    except BaseException:
        end(served)
        raise
    stop(served)


def test_a_bad_report_fails_the_stack(folder: Path) -> None:
    served = start(database=f"sqlite:///{folder / 'hotplate.db'}", folder=folder)
    try:
        stack = Stack(served, "ann")
        agent = Agent(stack.output("metadata_url"))
        while not agent.poll(code=3):
            time.sleep(0.02)
        assert stack.wait() == "CREATE_FAILED"
        assert stack.show()["stack_status_reason"] == (
            "Resource CREATE failed: Error: resources.deployment: Deployment to server failed: "
            "deploy_status_code : Deployment exited with non-zero status code: 3"
        )
    except BaseException:
        end(served)
        raise
    stop(served)
