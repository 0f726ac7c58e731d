"""Workflows on a running server beside the same on a real Mistral, in one run.

Both are driven over the same REST API by the same client; the seconds are those of the clock. A
real Mistral is installed below `build` if there is none yet.
"""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from tests.acceptance.serving import COMMAND, serving
from tests.benchmarks.figure import Figure
from tests.mistral_server import using_mistral

_REPEATS = 3
_PATIENCE = 120.0
_EVERY = 0.005
_CHAIN = "\n".join(
    f"    t{n}: {{action: std.noop, publish: {{n: <% $.n + 1 %>}}, on-success: t{n + 1}}}"
    for n in range(1, 9)
)
_WORKFLOWS = f"""\
version: '2.0'
bench_chain:
  output: {{n: <% $.n %>}}
  tasks:
    t0: {{action: std.noop, publish: {{n: 1}}, on-success: t1}}
{_CHAIN}
    t9: {{action: std.noop, publish: {{n: <% $.n + 1 %>}}}}
bench_items:
  output: {{sum: <% $.all.sum() %>}}
  tasks:
    t:
      with-items: i in <% range(100) %>
      action: std.echo output=<% $.i %>
      publish: {{all: <% task().result %>}}
bench_one:
  tasks:
    t: {{action: std.echo output=1, publish: {{r: <% task().result %>}}}}
"""


@dataclass(frozen=True)
class Service:
    """Something that speaks Mistral's API."""

    name: str
    http: httpx.Client

    def define(self) -> None:
        for method in ("POST", "PUT"):
            answer = self.http.request(
                method,
                "/workflows",
                content=_WORKFLOWS.encode(),
                headers={"Content-Type": "text/plain"},
            )
            if answer.status_code != 409:
                break
        answer.raise_for_status()

    def run(self, workflow: str, expected: dict[str, Any]) -> None:
        """Run a workflow to its end, which must be the expected one."""
        answer = self.http.post("/executions", json={"workflow_name": workflow, "input": "{}"})
        answer.raise_for_status()
        found = answer.json()
        end = time.monotonic() + _PATIENCE
        while found["state"] == "RUNNING" and time.monotonic() < end:
            time.sleep(_EVERY)
            found = self.http.get(f"/executions/{found['id']}").raise_for_status().json()
        assert found["state"] == "SUCCESS", found
        assert json.loads(found["output"]) == expected, found

    def at_once(self, count: int) -> None:
        """Run so many executions of a chain at the same time."""
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda _: self.run("bench_chain", {"n": 10}), range(count)))


_SCENES: tuple[tuple[str, int, Callable[[Service], None]], ...] = (
    ("one task", 1, lambda service: service.run("bench_one", {"r": 1})),
    ("a chain of 10 tasks", 10, lambda service: service.run("bench_chain", {"n": 10})),
    ("100 items", 100, lambda service: service.run("bench_items", {"sum": 4950})),
    ("20 chains of 10 at once", 200, lambda service: service.at_once(20)),
)


def figures() -> Iterator[Figure]:
    """Each scene on a real Mistral, then here."""
    with using_mistral() as mistral, serving(command=COMMAND) as ours:
        services = [
            Service("Mistral", _client(mistral.url)),
            Service("Hotplate", _client(f"{ours.url}/v2")),
        ]
        for service in services:
            service.define()
            service.run("bench_one", {"r": 1})
        for scene, things, act in _SCENES:
            for service in services:
                seconds = min(_timed(act, service) for _ in range(_REPEATS))
                baseline = "" if service is services[0] else f"{scene}, Mistral"
                yield Figure(f"{scene}, {service.name}", things, seconds, baseline)


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=60.0, trust_env=False)


def _timed(act: Callable[[Service], None], service: Service) -> float:
    start = time.perf_counter()
    act(service)
    return time.perf_counter() - start
