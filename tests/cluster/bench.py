"""What the work costs in a cluster, who waits for whom, and how many waits fit in.

    make bench-cluster PARTS="cost waits fairness"

- `cost`: SIZE (10000) resources without dependencies, embedded on SQLite and with one and two
  workers on PostgreSQL and MariaDB over RabbitMQ: CPU of each part. With HEAT_URL and OS_* of a
  Heat (as for `make bench`), and PEER_HEAT, a folder with the files heat-engine.pid, heat-api.pid,
  mariadb.pid and rabbitmq.pid of it, PEER_SIZE (100) resources live there too.
- `waits`: WAITS (20000) resources that wait ten seconds each, on two workers.
- `fairness`: how long a stack of ten resources takes while another project makes CROWD (20000)
  resources in one stack, and in NESTED (1000) nested stacks.

DATABASES names one of the databases, WORKERS (1 2) how many workers there shall be.
CPU counts on any machine; seconds by the clock want a quiet one.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, select

from hotplate.model import NodeState
from hotplate.store.database import open_engine
from hotplate.store.schema import node
from tests.acceptance.serving import COMMAND, serving
from tests.benchmarks.api import Server, heat_server
from tests.benchmarks.large import CONFIGURATION
from tests.benchmarks.process_tree import cpu_seconds
from tests.cluster.processes import Cluster, own_queue, template
from tests.databases import Server as DatabaseServer
from tests.databases import start_mariadb, start_postgresql
from tests.rabbitmq import Broker, start_broker

PARTS = ("cost", "waits", "fairness")
_STARTS = {"postgresql": start_postgresql, "mariadb": start_mariadb}
_PATIENCE = 1800.0
_WAIT = 10
"""Seconds that each of the waiting resources takes."""

_SMALL = 10
_TRIES = 7
"""Small stacks that are made alone, one after the other."""

_STRING = {"type": "OS::Heat::RandomString"}
_WAITING = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": _WAIT}}

Roots = Mapping[str, list[int]]
"""The first processes of each part."""


def _number(name: str, otherwise: int) -> int:
    return int(os.environ.get(name, otherwise))


def flat(count: int, definition: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a template of resources that need nothing of each other."""
    return template(**{f"r{at}": definition or _STRING for at in range(count)})


def nested(count: int, inside: int = 4) -> dict[str, Any]:
    """Return a template of nested stacks with some resources each."""
    member = {"count": inside, "resource_def": _STRING}
    group = {"type": "OS::Heat::ResourceGroup", "properties": member}
    return template(
        g={
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": count, "resource_def": group},
        }
    )


class Asked:
    """Somebody who asks a server for stacks of a project, and waits for them."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @classmethod
    def of(cls, url: str, project: str) -> "Asked":
        """Return one who asks a server of ours."""
        return cls(Server("hotplate", f"{url}/{project}", "any"))

    def begin(self, name: str, wanted: dict[str, Any]) -> str:
        """Ask for a stack; return its path."""
        sent = {"stack_name": name, "template": wanted, "timeout_mins": 60}
        sent["disable_rollback"] = True
        return f"/stacks/{name}/{self._server.ask('POST', '/stacks', sent)['stack']['id']}"

    def is_complete(self, path: str) -> bool:
        """Tell whether a stack has come to its end. Raises AssertionError if it has failed."""
        stack = self._server.ask("GET", f"{path}?resolve_outputs=false")["stack"]
        status = str(stack["stack_status"])
        assert not status.endswith("_FAILED"), stack["stack_status_reason"]
        return status.endswith("_COMPLETE")

    def wait(self, path: str, pause: float) -> None:
        """Return when a stack is complete."""
        end = time.monotonic() + _PATIENCE
        while not self.is_complete(path):
            assert time.monotonic() < end, f"{path} is still in progress"
            time.sleep(pause)

    def seconds(self, name: str, wanted: dict[str, Any], pause: float = 0.2) -> float:
        """Make a stack; return how long it took."""
        begun = time.monotonic()
        self.wait(self.begin(name, wanted), pause)
        return time.monotonic() - begun

    def delete(self, path: str) -> None:
        """Ask for the end of a stack."""
        self._server.ask("DELETE", path)


class Running:
    """A cluster with its database server and its broker."""

    def __init__(self, cluster: Cluster, server: DatabaseServer, broker: Broker) -> None:
        self._cluster = cluster
        self._server = server
        self._broker = broker

    @property
    def database(self) -> str:
        """The URL of the database."""
        return self._cluster.database

    def of(self, project: str) -> Asked:
        """Return one who asks for stacks of a project."""
        return Asked.of(self._cluster.url, project)

    def roots(self) -> Roots:
        """Return the first processes of each part."""
        assert self._cluster.api is not None
        return {
            "workers": [each.pid for each in self._cluster.workers],
            "api": [self._cluster.api.pid],
            "database": [self._server.pid],
            "broker": [self._broker.pid],
        }


@contextmanager
def _configuration() -> Iterator[tuple[Path, tuple[str, ...]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hotplate.toml").write_text(CONFIGURATION, "ascii")
        yield folder, ("--config", str(folder / "hotplate.toml"), "--log-level", "error")


@contextmanager
def running(server: DatabaseServer, broker: Broker, workers: int) -> Iterator[Running]:
    """Start a server that answers and workers, on a new database and a new queue."""
    with _configuration() as (folder, options):
        cluster = Cluster(folder, server.new_database(), own_queue(broker), options)
        try:
            cluster.start_api()
            for _ in range(workers):
                cluster.start_worker()
            yield Running(cluster, server, broker)
        finally:
            cluster.close()


@contextmanager
def embedded() -> Iterator[tuple[Asked, Asked, int]]:
    """Start one process on SQLite; yield two projects that ask it, and its number."""
    with _configuration() as (_, options), serving(*options, command=COMMAND) as served:
        url = f"{served.url}/v1"
        yield Asked.of(url, "large"), Asked.of(url, "small"), served.process.pid


def _measured(
    roots: Callable[[], Roots], asked: Asked, size: int
) -> tuple[dict[str, float], float]:
    """Make a stack; return the CPU µs of each part for a resource, and the seconds."""
    asked.seconds("first", flat(_SMALL))  # what is loaded once is not counted
    before = {part: cpu_seconds(pids) for part, pids in roots().items()}
    seconds = asked.seconds(f"bench-{os.getpid()}", flat(size))
    after = {part: cpu_seconds(pids) for part, pids in roots().items()}
    return {part: (after[part] - before[part]) * 1e6 / size for part in before}, seconds


_COLUMNS = ("workers", "api", "database", "broker")


def _row(name: str, size: int, costs: Mapping[str, float], seconds: float, than: float = 0) -> None:
    split = "".join(f"{costs.get(part, 0):>10,.0f}" for part in _COLUMNS)
    total = sum(costs.values())
    ratio = f"  1/{than / total:,.0f} of Heat" if than else ""
    print(f"{name:34}{size:>8,}{total:>10,.0f}{split}{seconds:>9.1f}{ratio}", flush=True)


def cost(servers: Mapping[str, DatabaseServer], broker: Broker) -> None:
    """Print what a resource costs: beside Heat, embedded, and in clusters."""
    size = _number("SIZE", 10_000)
    head = "".join(f"{part:>10}" for part in _COLUMNS)
    print(f"{'CPU µs of each resource':34}{'size':>8}{'sum':>10}{head}{'clock s':>9}", flush=True)
    heat = _peer()
    with embedded() as (asked, _, pid):
        costs, seconds = _measured(lambda: {"workers": [pid]}, asked, size)
        _row("embedded, SQLite", size, costs, seconds, heat)
    for kind, server in servers.items():
        for workers in map(int, os.environ.get("WORKERS", "1 2").split()):
            with running(server, broker, workers) as cluster:
                costs, seconds = _measured(cluster.roots, cluster.of("large"), size)
                _row(f"{kind}, {workers} workers", size, costs, seconds, heat)


def _peer() -> float:
    """Print what a resource costs in the Heat that the environment names; return the sum."""
    folder, server = os.environ.get("PEER_HEAT"), heat_server()
    if not folder or server is None:
        return 0.0
    parts = {
        "workers": "heat-engine", "api": "heat-api", "database": "mariadb", "broker": "rabbitmq",
    }  # fmt: skip
    roots = {
        part: [int((Path(folder) / f"{each}.pid").read_text())] for part, each in parts.items()
    }
    asked, size = Asked(server), _number("PEER_SIZE", 100)
    before = {part: cpu_seconds(pids) for part, pids in roots.items()}
    begun = time.monotonic()
    path = asked.begin(f"bench-{os.getpid()}", flat(size))
    asked.wait(path, 2.0)
    seconds = time.monotonic() - begun
    costs = {part: (cpu_seconds(roots[part]) - before[part]) * 1e6 / size for part in roots}
    asked.delete(path)
    _row("Heat, 2 engines, MariaDB", size, costs, seconds)
    return sum(costs.values())


def waits(servers: Mapping[str, DatabaseServer], broker: Broker) -> None:
    """Print how long many waits take, and how many of them were under way at the same time."""
    size = _number("WAITS", 20_000)
    print(f"{size:,} resources that wait {_WAIT} s each, two workers", flush=True)
    for kind, server in servers.items():
        with running(server, broker, 2) as cluster:
            asked = cluster.of("large")
            asked.seconds("first", flat(_SMALL))
            before = {part: cpu_seconds(pids) for part, pids in cluster.roots().items()}
            engine = open_engine(cluster.database)
            begun = time.monotonic()
            path = asked.begin("waits", flat(size, _WAITING))
            accepted, most = time.monotonic() - begun, 0
            while not asked.is_complete(path):
                most = max(most, _parked(engine))
                time.sleep(0.25)
            seconds = time.monotonic() - begun
            costs = {
                part: (cpu_seconds(pids) - before[part]) * 1e6 / size
                for part, pids in cluster.roots().items()
            }
            engine.dispose()
        split = ", ".join(f"{part} {each:,.0f}" for part, each in costs.items())
        print(
            f"{kind}: {seconds:.1f} s (accepted after {accepted:.1f} s), {most:,} waited at the "
            f"same time; CPU µs each: {split}",
            flush=True,
        )


def _parked(engine: Engine) -> int:
    with engine.connect() as connection:
        query = select(func.count()).where(node.c.state == NodeState.PARKED.value)
        return connection.execute(query).scalar_one()


def fairness(servers: Mapping[str, DatabaseServer], broker: Broker) -> None:
    """Print how much longer a small stack takes while another project makes a large one."""
    size, stacks = _number("CROWD", 20_000), _number("NESTED", 1000)
    crowds = {f"{size:,} in one stack": flat(size), f"{stacks:,} stacks": nested(stacks)}
    print(f"a stack of {_SMALL} alone, and beside many resources of others", flush=True)
    for kind, crowd in crowds.items():
        with embedded() as (large, small, _):
            _beside(f"embedded, {kind}", crowd, large, small)
    for name, server in servers.items():
        for kind, crowd in crowds.items():
            with running(server, broker, 2) as cluster:
                of_both = cluster.of("large"), cluster.of("small")
                _beside(f"{name}, 2 workers, {kind}", crowd, *of_both)


def _beside(name: str, crowd: dict[str, Any], large: Asked, small: Asked) -> None:
    wanted, pause = flat(_SMALL), 0.01
    small.seconds("first", wanted)
    alone = [small.seconds(f"alone{at}", wanted, pause) for at in range(_TRIES)]
    path = large.begin("crowd", crowd)
    beside: list[float] = []
    while not large.is_complete(path):
        beside.append(small.seconds(f"beside{len(beside)}", wanted, pause))
    usual, late = statistics.median(alone), statistics.median(beside)
    print(
        f"{name:44} alone {usual * 1e3:.0f} ms, beside {late * 1e3:.0f} ms (median of "
        f"{len(beside)}, at most {max(beside) * 1e3:.0f}): {late / usual:.1f} times, at most "
        f"{max(beside) / usual:.1f}",
        flush=True,
    )


def main(wanted: list[str]) -> None:
    parts = {"cost": cost, "waits": waits, "fairness": fairness}
    if unknown := set(wanted) - set(parts):
        raise SystemExit(f"no part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}")
    kinds = os.environ.get("DATABASES", " ".join(_STARTS)).split()
    broker = start_broker()
    servers: dict[str, DatabaseServer] = {}
    try:
        for kind in kinds:
            servers[kind] = _STARTS[kind]()
        for part in wanted or PARTS:
            parts[part](servers, broker)
            print(flush=True)
    finally:
        for server in servers.values():
            server.stop()
        broker.remove()


if __name__ == "__main__":
    main(sys.argv[1:])
