"""Workflows that would take everything: each ends soon, in an error that says why."""

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from hotplate.engine.embedded import embedded
from hotplate.workflow.actions import ActionSettings
from hotplate.workflow.drivers.driver import (
    SERVICE,
    Execution,
    ExecutionState,
    Refused,
    Start,
    WorkflowService,
)
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.running import workflows
from tests.databases import sqlite_file

SMALL = FlowSettings(most_tasks=200, most_items=100, deepest_nesting=5, most_active_executions=100)
SECONDS = 60.0


def outcome(
    folder: Path,
    actions: ActionSettings | None = None,
    settings: FlowSettings = SMALL,
    **bodies: dict[str, Any],
) -> Execution:
    """Run the workflow called main to its end, beside others; return the execution."""

    async def act() -> Execution:
        extend = workflows(settings, actions)
        async with embedded(sqlite_file(folder / "engine.db"), extend=extend) as engine:
            service: WorkflowService = engine.tools.world.service(SERVICE)
            for name, body in bodies.items():
                text = yaml.safe_dump({"version": "2.0", name: body}, sort_keys=False)
                await service.create_workflow("project", text)
            request = Start(str(uuid4()), "main")
            found: Execution | None = await service.start("project", request)
            end = time.monotonic() + SECONDS
            while found is not None and not found.state.is_final:
                assert time.monotonic() < end, "it goes on and on"
                await asyncio.sleep(0.05)
                found = await service.show("project", request.id)
            assert found is not None
            return found

    return asyncio.run(act())


def task(**facts: Any) -> dict[str, Any]:
    return {"tasks": {"t": {"action": "std.noop", **facts}}}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"tasks": {"a": {"on-success": "b"}, "b": {"on-success": "b"}}}, "200"),
        ({"tasks": {"a": {"on-success": "b"}, "b": {"on-success": ["b", "c"]},
                    "c": {"on-success": ["b", "c"]}}}, "200"),
        (task(**{"with-items": "i in <% range(100000000) %>"}), "too many|10000|100"),
        (task(**{"with-items": "i in <% range(101) %>"}), "100"),
        (task(publish={"a": "<% range(100000000) %>"}), "too many|10000"),
        (task(publish={"a": "<% range(100000000).sum() %>"}), "too many|10000"),
        (task(publish={"a": "<% 'x' * 1000000000 %>"}), "large|steps|limit|memory|quota"),
        (task(publish={"a": "{{ 'x' * 1000000000 }}"}), "too many steps"),
        (task(publish={"a": "{{ range(100000000) | list }}"}), "100000"),
        (task(publish={"a": "{{ 'x' | center(1000000000) }}"}), "too large"),
        (task(publish={"a": "{{ 'x' * 2000000 }}"}), "allowed"),
        (task(publish={"a": "{% for a in range(100000) %}{% for b in range(100000) %}{{ b }}"
                            "{% endfor %}{% endfor %}"}), "too many steps"),
        ({"tasks": {"t": {"action": "std.test_dict size=100000000"}}}, "up to 10000"),
        ({"output": {"a": "<% range(100000000) %>"}, **task()}, "too many|10000"),
    ],
)  # fmt: skip
def test_what_never_ends_or_never_fits_is_stopped(
    tmp_path: Path, body: dict[str, Any], words: str
) -> None:
    found = outcome(tmp_path, main=body)
    assert found.state is ExecutionState.ERROR
    assert any(word in found.state_info for word in words.split("|")), found.state_info


def test_what_cannot_even_begin_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="10000"):
        outcome(tmp_path, main={"vars": {"a": "<% range(100000000) %>"}, **task()})


@pytest.mark.parametrize("children", [1, 3])
def test_a_workflow_that_calls_itself_is_stopped(tmp_path: Path, children: int) -> None:
    tasks = {f"t{number}": {"workflow": "main"} for number in range(children)}
    found = outcome(tmp_path, main={"tasks": tasks})
    assert found.state is ExecutionState.ERROR
    assert "5" in found.state_info or "100" in found.state_info, found.state_info


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (replace(SMALL, most_sub_workflows=3), "had 3 sub-workflows"),
        (replace(SMALL, largest_execution=2_000), "larger than 2000 bytes"),
    ],
)
def test_an_operator_sets_what_one_execution_may_become(
    tmp_path: Path, settings: FlowSettings, words: str
) -> None:
    items = {"t": {"with-items": "i in <% range(5) %>", "workflow": "leaf"}}
    found = outcome(tmp_path, settings=settings, main={"tasks": items}, leaf=task())
    assert found.state is ExecutionState.ERROR
    assert words in found.state_info, found.state_info


class Named(ThreadingHTTPServer):
    """Is called by its address, which is not looked up."""

    daemon_threads = True

    def server_bind(self) -> None:
        super(HTTPServer, self).server_bind()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]


class Redirecting(BaseHTTPRequestHandler):
    """Sends everybody to the same port of another address of this machine."""

    seen: list[str] = []

    def do_GET(self) -> None:
        assert isinstance(self.server, ThreadingHTTPServer)
        host, port = self.server.server_name, self.server.server_port
        self.seen.append(host)
        if host == "127.0.0.1":
            self.send_response(200)
        else:
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{port}/secret")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which 127.0.0.1 answers and 127.0.0.2 redirects there."""
    Redirecting.seen.clear()
    first = Named(("127.0.0.1", 0), Redirecting)
    second = Named(("127.0.0.2", first.server_port), Redirecting)
    for server in (first, second):
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield first.server_port
    for server in (first, second):
        server.shutdown()
        server.server_close()


def get(url: str, **more: Any) -> dict[str, Any]:
    return {"tasks": {"t": {"action": "std.http", "input": {"url": url, **more}}}}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1"])
def test_a_request_reaches_no_address_of_this_machine(tmp_path: Path, port: int, host: str) -> None:
    found = outcome(tmp_path, main=get(f"http://{host}:{port}/secret"))
    assert found.state is ExecutionState.ERROR
    assert "not a public one" in found.state_info or "has no address" in found.state_info
    assert Redirecting.seen == []


def test_a_redirect_leads_to_no_address_of_this_machine(tmp_path: Path, port: int) -> None:
    allowed = ActionSettings(may_reach=("127.0.0.2/32",))
    url = f"http://127.0.0.2:{port}/"
    found = outcome(tmp_path, allowed, main=get(url, allow_redirects=True))
    assert found.state is ExecutionState.ERROR
    assert "not a public one" in found.state_info
    assert Redirecting.seen == ["127.0.0.2"]


def test_a_name_that_is_bound_anew_leads_nowhere_else(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer of the name server is allowed, all later ones are this machine."""
    answers = ["127.0.0.2"]
    looked_up = asyncio.BaseEventLoop.getaddrinfo

    async def bound_anew(self: Any, host: Any, *args: Any, **kwargs: Any) -> Any:
        if host == "rebind.example":
            host = answers.pop() if answers else "127.0.0.1"
        return await looked_up(self, host, *args, **kwargs)

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", bound_anew)
    allowed = ActionSettings(may_reach=("127.0.0.2/32",))
    tasks = {
        "first": {"action": "std.http", "on-success": "second"},
        "second": {"action": "std.http"},
    }
    for each in tasks.values():
        each["input"] = {"url": f"http://rebind.example:{port}/secret"}  # type: ignore[assignment]
    found = outcome(tmp_path, allowed, main={"tasks": tasks})
    assert found.state is ExecutionState.ERROR
    assert "second" in found.state_info
    assert "not a public one" in found.state_info
    assert Redirecting.seen == ["127.0.0.2"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/", "gopher://a/"])
def test_only_http_is_spoken(tmp_path: Path, url: str) -> None:
    found = outcome(tmp_path, main=get(url))
    assert found.state is ExecutionState.ERROR
    assert "only http:// and https://" in found.state_info


@pytest.mark.parametrize("action", ["std.ssh", "std.email", "std.js", "std.nosuch"])
def test_actions_that_are_not_there_are_told(tmp_path: Path, action: str) -> None:
    found = outcome(tmp_path, main={"tasks": {"t": {"action": action}}})
    assert found.state is ExecutionState.ERROR
    assert action in found.state_info
