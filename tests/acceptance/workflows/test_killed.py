"""A server that is killed at any moment of a workflow never does twice what must be done once.

HOTPLATE_KILLS=50 python -m pytest tests/acceptance/workflows/test_killed.py kills it more often.
"""

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.acceptance.workflows.counting_service import SLOWEST, CountingService, counting_service
from tests.acceptance.workflows.workflow_server import Forks, forks

KILLS = int(os.environ.get("HOTPLATE_KILLS", "4"))
TASKS = 10
PATIENCE = 60.0


def workflow(name: str, service: CountingService, is_safe: bool) -> str:
    """Return a chain of tasks, each with one effect in the service."""
    lines = ["version: '2.0'", f"{name}:", "  input: [mark]", "  tasks:"]
    for number in range(TASKS):
        lines += [
            f"    t{number}:",
            "      action: std.http",
            "      input:",
            f"        url: {service.url}/<% $.mark %>/t{number}",
            "        method: POST",
        ]
        if is_safe:
            lines.append("      safe-rerun: true")
        if number < TASKS - 1:
            lines.append(f"      on-success: t{number + 1}")
    return "\n".join(lines) + "\n"


def configuration(folder: Path) -> Path:
    file = folder / "hotplate.toml"
    file.write_text(
        f'[server]\nlisten = "127.0.0.1:0"\ndatabase = "sqlite:///{folder / "hotplate.db"}"\n'
        'log_level = "error"\n[workflows]\nmay_reach = ["127.0.0.0/8"]\n',
        encoding="utf-8",
    )
    return file


@dataclass(frozen=True, slots=True)
class Ending:
    """How a workflow ended. ``mark`` is what it named itself by to the service."""

    mark: str
    state: str
    reason: str | None


Begin = Callable[[httpx.Client, str], str]
Wait = Callable[[httpx.Client, str], Ending]


def ended(client: httpx.Client, execution_id: str) -> Ending:
    """Return how an execution ended."""
    end = time.monotonic() + PATIENCE
    while True:
        found: dict[str, str] = client.get(f"/v2/executions/{execution_id}").json()
        if found["state"] not in ("IDLE", "RUNNING"):
            return Ending(execution_id, found["state"], found["state_info"])
        assert time.monotonic() < end, found
        time.sleep(0.05)


def start(client: httpx.Client, name: str) -> str:
    execution_id = str(uuid4())
    body = {"id": execution_id, "workflow_name": name, "input": {"mark": execution_id}}
    client.post("/v2/executions", json=body).raise_for_status()
    return execution_id


def create(client: httpx.Client, name: str) -> str:
    """Make a stack with one resource, whose creation is a workflow; return its mark."""
    mark = f"{name}-{uuid4()}"
    resource = {
        "type": "OS::Mistral::ExternalResource",
        "properties": {"actions": {"CREATE": {"workflow": name}}, "input": {"mark": mark}},
    }
    template = {"heat_template_version": "2021-04-16", "resources": {"made": resource}}
    body = {"stack_name": mark, "template": template}
    client.post("/v1/default/stacks", json=body).raise_for_status()
    return mark


def created(client: httpx.Client, mark: str) -> Ending:
    """Return how the creation of a stack ended."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = client.get(f"/v1/default/stacks/{mark}", follow_redirects=True)
        found = answer.json()["stack"]
        if found["stack_status"] != "CREATE_IN_PROGRESS":
            state = {"CREATE_COMPLETE": "SUCCESS", "CREATE_FAILED": "ERROR"}
            status = found["stack_status"]
            return Ending(mark, state.get(status, status), found["stack_status_reason"])
        assert time.monotonic() < end, found
        time.sleep(0.05)


def kill_once(
    running: Forks, service: CountingService, chance: random.Random, begin: Begin, wait: Wait
) -> tuple[Ending, Ending]:
    """Kill a server while it runs both workflows; return how they ended on the next."""
    wanted = chance.randrange(2 * TASKS)
    server = running.start()
    with httpx.Client(base_url=server.url, timeout=30) as client:
        safe, other = begin(client, "safe"), begin(client, "other")
        end = time.monotonic() + PATIENCE
        while sum(len(service.requests_of(f"/{mark}/")) for mark in (safe, other)) < wanted:
            assert time.monotonic() < end
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 2 * SLOWEST))
        server.kill()
    server = running.start()
    with httpx.Client(base_url=server.url, timeout=30) as client:
        found = wait(client, safe), wait(client, other)
    server.kill()
    return found


@pytest.mark.parametrize(
    ("begin", "wait"),
    [pytest.param(start, ended, id="execution"), pytest.param(create, created, id="resource")],
)
def test_one_effect_for_each_task_however_often_the_server_is_killed(
    tmp_path: Path, begin: Begin, wait: Wait
) -> None:
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    tasks = {f"t{number}" for number in range(TASKS)}
    unknown = 0
    with counting_service() as service, forks(configuration(tmp_path)) as running:
        server = running.start()
        with httpx.Client(base_url=server.url, timeout=30) as client:
            for name in ("safe", "other"):
                text = workflow(name, service, name == "safe")
                client.post(
                    "/v2/workflows", content=text, headers={"content-type": "text/plain"}
                ).raise_for_status()
        server.kill()
        for kill in range(KILLS):
            where = f"seed {seed}, kill {kill}"
            safe, other = kill_once(running, service, chance, begin, wait)
            # What may be repeated is: each task with the same key, so it counts once.
            assert safe.state == "SUCCESS", (where, safe)
            effects = service.effects_of(f"/{safe.mark}/")
            assert effects == dict.fromkeys(tasks, 1), (where, effects)
            # What may not is not: at most one request, and who cannot tell says so.
            requests = service.requests_of(f"/{other.mark}/")
            assert set(requests.values()) <= {1}, (where, requests)
            if other.state == "SUCCESS":
                assert set(requests) == tasks, (where, requests)
                continue
            unknown += 1
            assert other.state == "ERROR", (where, other)
            assert "outcome unknown" in str(other.reason), (where, other)
            in_doubt = (f'"t{len(requests) - 1}"', f'"t{len(requests)}"')
            assert any(name in str(other.reason) for name in in_doubt), (where, other)
    print(f"{KILLS} kills, {unknown} outcomes unknown")
