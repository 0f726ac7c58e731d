"""The API over real HTTP: listing a tree, and many clients that poll one stack.

With HEAT_URL (an endpoint with the project in it, or `%(tenant_id)s`) and OS_* of a Heat, the same
is asked of it in the same run, and printed beside.
"""

import asyncio
import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from tests.acceptance.serving import COMMAND, serving
from tests.benchmarks.figure import Figure

_REPEATS = 5
_CLIENTS = 200
_SECONDS = 5.0


def _member(resources: int) -> dict[str, Any]:
    return {
        "heat_template_version": "2018-08-31",
        "resources": {
            f"r{number}": {"type": "OS::Heat::RandomString", "properties": {"length": 16}}
            for number in range(resources)
        },
    }


def _group(members: int) -> dict[str, Any]:
    return {
        "heat_template_version": "2018-08-31",
        "resources": {
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": members, "resource_def": {"type": "member.yaml"}},
            }
        },
    }


def _body(members: int, resources: int) -> dict[str, Any]:
    return {
        "template": _group(members),
        "files": {"member.yaml": json.dumps(_member(resources))},
        "timeout_mins": 60,
    }


@dataclass(frozen=True)
class Server:
    """Something that speaks Heat's API."""

    name: str
    endpoint: str
    token: str

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.endpoint + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Auth-Token": self.token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            is_json = "json" in answer.headers.get("content-type", "")
        return json.loads(text) if text and is_json else None

    def create(self, name: str, members: int, resources: int) -> str:
        """Create a group of nested stacks and wait for it; return its canonical path."""
        body = {"stack_name": name, **_body(members, resources)}
        answer = self.ask("POST", "/stacks", body)
        path = f"/stacks/{name}/{answer['stack']['id']}"
        self.ended(path, "CREATE")
        return path

    def update(self, path: str, members: int, resources: int) -> None:
        """Change the number of members, or nothing, and wait for it."""
        self.ask("PUT", path, _body(members, resources))
        self.ended(path, "UPDATE")

    def delete(self, path: str) -> None:
        """Delete a stack and wait for it."""
        self.ask("DELETE", path)
        self.ended(path, "DELETE")

    def ended(self, path: str, action: str) -> None:
        """Wait until an action is complete; a stack that is gone has been deleted."""
        pause = 0.01
        while True:
            try:
                stack = self.ask("GET", f"{path}?resolve_outputs=false")["stack"]
            except urllib.error.HTTPError as error:
                if error.code == 404 and action == "DELETE":
                    return
                raise
            if stack["stack_status"] == f"{action}_COMPLETE":
                return
            if stack["stack_status"].endswith("_FAILED"):
                raise SystemExit(f"{self.name}: {stack['stack_status_reason']}")
            time.sleep(pause)
            # A poll must not cost what is measured, nor must a pause.
            pause = min(0.5, pause * 1.2)

    def best(self, path: str) -> tuple[float, int]:
        """Return the seconds of the fastest of a few answers, and how many resources it has."""
        seconds = []
        for _ in range(_REPEATS):
            begun = time.perf_counter()
            found = self.ask("GET", path)
            seconds.append(time.perf_counter() - begun)
        return min(seconds), len(found["resources"])


def figures() -> Iterator[Figure]:
    """Yield listing against raw rows, then against Heat, then the polling clients."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "hotplate.db"
        with serving(
            "--log-level", "warning", database=f"sqlite:///{file}", command=COMMAND
        ) as served:
            ours = Server("hotplate", served.endpoint("bench"), "any")
            yield from _listing(ours, file, served.process.pid)
            path = ours.create("compared", 100, 3)
            yield from _compared(ours, path)


def _listing(ours: Server, file: Path, pid: int) -> Iterator[Figure]:
    """Compare what the server burns for an answer with what the rows alone would cost."""
    path = ours.create("large", 499, 20)
    address = f"{path}/resources?nested_depth=MAX"
    burnt = []
    for _ in range(_REPEATS):
        before = cpu_seconds(pid)
        rows = ours.ask("GET", address)["resources"]
        burnt.append(cpu_seconds(pid) - before)
    seconds, count = min(burnt), len(rows)
    stack_id = path.rpartition("/")[2]
    raw = min(_raw(file, stack_id, rows) for _ in range(_REPEATS))
    yield Figure("raw sqlite3 fetch + json.dumps", count, raw)
    yield Figure(
        "GET resources?nested_depth=MAX, 500 stacks", count, seconds,
        baseline="raw sqlite3 fetch + json.dumps",
    )  # fmt: skip


def _raw(file: Path, stack_id: str, rows: list[Any]) -> float:
    """Return the seconds that the rows alone cost: read as they are, and written as JSON."""
    with sqlite3.connect(file) as connection:
        begun = time.process_time()
        connection.execute(
            "SELECT s.id, s.name, s.parent_id, v.* FROM version v JOIN stack s ON s.id = v.stack_id"
            " WHERE v.root_id = ? ORDER BY v.id",
            (stack_id,),
        ).fetchall()
        json.dumps({"resources": rows})
        return time.process_time() - begun


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _compared(ours: Server, path: str) -> Iterator[Figure]:
    heat = heat_server()
    servers = [(ours, path)]
    if heat is not None:
        servers.insert(0, (heat, heat.create(f"compared-{os.getpid()}", 100, 3)))
    for suffix, words in (("", "GET resources"), ("?nested_depth=5", "GET resources, nested")):
        for server, where in servers:
            seconds, count = server.best(f"{where}/resources{suffix}")
            baseline = f"heat: {words}" if server is ours and heat is not None else ""
            yield Figure(f"{server.name}: {words}", count, seconds, baseline=baseline)
    for server, where in servers:
        polling = asyncio.run(_poll(server, where))
        answers = len(polling)
        print(
            f"{server.name}: {_CLIENTS} clients poll one stack: "
            f"{answers / _SECONDS:,.0f} answers/s, "
            f"median {1000 * polling[answers // 2]:.0f} ms, "
            f"p99 {1000 * polling[int(answers * 0.99)]:.0f} ms"
        )
    if heat is not None:
        heat.ask("DELETE", servers[0][1])


def heat_server() -> Server | None:
    """Return the Heat that the environment names, None if it names none."""
    url = os.environ.get("HEAT_URL")
    if not url:
        return None
    from keystoneauth1 import session  # noqa: PLC0415
    from keystoneauth1.identity import v3  # noqa: PLC0415

    given = os.environ.__getitem__
    identity = v3.Password(
        auth_url=given("OS_AUTH_URL"),
        username=given("OS_USERNAME"),
        password=given("OS_PASSWORD"),
        project_name=given("OS_PROJECT_NAME"),
        user_domain_name=os.environ.get("OS_USER_DOMAIN_NAME", "Default"),
        project_domain_name=os.environ.get("OS_PROJECT_DOMAIN_NAME", "Default"),
    )
    login = session.Session(auth=identity)
    project, token = login.get_project_id(), login.get_token()
    if not project or not token:
        raise SystemExit("no token for HEAT_URL: see OS_*")
    endpoint = url.replace("%(tenant_id)s", project).replace("%(project_id)s", project)
    return Server("heat", endpoint.rstrip("/"), token)


async def _poll(server: Server, path: str) -> list[float]:
    """Return the sorted times of all answers that the clients together got."""
    parts = urlsplit(server.endpoint)
    question = (
        f"GET {parts.path}{path}?resolve_outputs=false HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"X-Auth-Token: {server.token}\r\nAccept: application/json\r\n\r\n"
    ).encode()
    times: list[float] = []
    end = time.perf_counter() + _SECONDS

    async def client() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            try:
                writer.write(question)
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.partition("content-length:")[2].partition("\r\n")[0])
                await reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                continue
            assert head.startswith("http/1.1 200"), head
            times.append(time.perf_counter() - begun)
            if "connection: close" in head:
                writer.close()
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.close()

    await asyncio.gather(*(client() for _ in range(_CLIENTS)))
    return sorted(times)
