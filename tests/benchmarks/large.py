"""Large stacks on a server of its own: what each operation costs, and what others feel of it.

`make bench-large SIZES="10000 100000"` chooses the sizes. Not among the benchmarks of `make bench`:
it takes minutes.
"""

import argparse
import http.client
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.acceptance.serving import Served, serving
from tests.benchmarks.process_tree import cpu_seconds, ticks_of_trees

SIZES = (10_000, 100_000)
_PATIENCE = 1800.0
_BETWEEN = 0.01
"""Seconds between two health checks."""

_WEIGHED = 0.25
"""Seconds between two looks at the memory of all processes."""

_CALIBRATED = 300
"""Health checks by which it is found out what one of them costs."""

_REST = 14.0
"""Seconds after an operation before memory is looked at: a server that has come to rest gives back
what is free after five seconds, and what nobody asks for meanwhile after five more."""

CONFIGURATION = """\
[limits]
most_resources = 0
largest_body = 67108864
largest_template = 67108864
evaluation_seconds = 600
evaluation_memory = 4294967296
"""
"""Of a server that takes stacks of any size."""

_HEADER = (
    f"{'':42} {'CPU s':>8} {'asked s':>8} {'clock s':>8} {'peak MB':>8} {'all MB':>7}"
    f" {'after MB':>9}"
    f" {'stall ms':>9}"
    f" {'writer ms':>10} {'CPU ms':>7}"
)


def flat(count: int, changed: bool = False) -> dict[str, Any]:
    """Return a template of resources that need nothing of each other."""
    resources: dict[str, Any] = {
        f"r{at}": {"type": "OS::Heat::RandomString"} for at in range(count)
    }
    if changed:
        resources["r0"] = {"type": "OS::Heat::RandomString", "properties": {"length": 9}}
    return _template(resources)


def distinct(count: int, changed: bool = False) -> dict[str, Any]:
    """Return the same with resources of which no two are written alike."""
    resources: dict[str, Any] = {
        f"r{at}": {"type": "OS::Heat::RandomString", "properties": {"salt": f"s{at}"}}
        for at in range(count)
    }
    if changed:
        resources["r0"]["properties"]["salt"] = "another"
    return _template(resources)


def group(count: int) -> dict[str, Any]:
    """Return a template of one group."""
    member = {"type": "OS::Heat::RandomString"}
    properties = {"count": count, "resource_def": member}
    return _template({"group": {"type": "OS::Heat::ResourceGroup", "properties": properties}})


def chain(count: int) -> dict[str, Any]:
    """Return a template whose resources each need the one before."""
    resources: dict[str, Any] = {"r0": {"type": "OS::Heat::Value", "properties": {"value": "a"}}}
    for at in range(1, count):
        value = {"get_attr": [f"r{at - 1}", "value"]}
        resources[f"r{at}"] = {"type": "OS::Heat::Value", "properties": {"value": value}}
    return _template(resources)


def _template(resources: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "wallaby", "resources": resources}


@dataclass(slots=True)
class Felt:
    """What one operation cost and what others felt of it."""

    cpu: float = 0.0
    asked: float = 0.0
    """What of that went into answers to those who asked how the server is, by estimate."""

    clock: float = 0.0
    peak: float = 0.0
    everything: float = 0.0
    """The peak of the server and of the processes that evaluate for it, looked at now and then."""

    after: float = 0.0
    stall: float = 0.0
    writer: float = 0.0
    """The longest transaction that may write, by the clock."""

    writer_cpu: float = 0.0
    """The same by the processor: others on the machine do not count."""

    def row(self, name: str) -> str:
        return (
            f"{name:42} {self.cpu:>8.2f} {self.asked:>8.2f} {self.clock:>8.1f} {self.peak:>8.0f}"
            f" {self.everything:>7.0f} {self.after:>9.0f} {self.stall * 1e3:>9.0f}"
            f" {self.writer * 1e3:>10.0f} {self.writer_cpu * 1e3:>7.0f}"
        )


@dataclass(slots=True)
class Measured:
    """A server, and the clocks that look at it."""

    served: Served
    writes: Path
    """Where the server notes how long each transaction that may write took, if it took long."""

    asking: float = 0.0
    """CPU seconds of the server for one health check while it has nothing else to do."""

    _stalls: list[float] = field(default_factory=list)
    _sizes: list[float] = field(default_factory=list)

    @property
    def _pid(self) -> int:
        return self.served.process.pid

    @contextmanager
    def measuring(self, name: str) -> Iterator[None]:
        """Print what the operation of a block costs."""
        felt = Felt()
        Path(f"/proc/{self._pid}/clear_refs").write_text("5", "ascii")  # the peak begins anew
        offset, cpu, begun = self.writes.stat().st_size, self._cpu(), time.monotonic()
        with self._looking():
            yield
            felt.clock = time.monotonic() - begun
        felt.cpu = self._cpu() - cpu
        felt.asked = self.asking * len(self._stalls)
        felt.stall = max(self._stalls, default=0.0)
        with self.writes.open(encoding="ascii") as file:
            file.seek(offset)
            held = [(float(each) for each in line.split()) for line in file]
        if held:
            felt.writer, felt.writer_cpu = map(max, zip(*held, strict=True))
        felt.peak = self.megabytes("VmHWM")
        felt.everything = max(self._sizes, default=0.0)
        time.sleep(_REST)
        felt.after = self.megabytes("VmRSS")
        print(felt.row(name), flush=True)

    def _cpu(self) -> float:
        """Return the CPU seconds of the server and of the processes that evaluate for it."""
        return cpu_seconds([self._pid])

    def _size(self) -> float:
        """Return the megabytes of all of them; what several share counts once."""
        size = 0
        for pid in ticks_of_trees([self._pid]):
            with suppress(OSError):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
                size += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return size / 1024

    def megabytes(self, key: str) -> float:
        """Return a figure of the memory of the process."""
        for line in Path(f"/proc/{self._pid}/status").read_text("ascii").splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) / 1024
        raise AssertionError(key)

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Ask how the server is, again and again, and note how long each answer takes."""
        self._stalls.clear()
        self._sizes.clear()
        is_over = threading.Event()

        def weigh() -> None:
            while not is_over.wait(_WEIGHED):
                self._sizes.append(self._size())

        def look() -> None:
            connection = self.connection()
            while not is_over.wait(_BETWEEN):
                begun = time.monotonic()
                connection.request("GET", "/healthcheck")
                connection.getresponse().read()
                self._stalls.append(time.monotonic() - begun)
            connection.close()

        threads = [threading.Thread(target=each) for each in (look, weigh)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def calibrate(self) -> None:
        """Find out what a health check costs; the first ones are dearer."""
        connection = self.connection()
        for is_counted in (False, True):
            cpu = self._cpu()
            for _ in range(_CALIBRATED):
                connection.request("GET", "/healthcheck")
                connection.getresponse().read()
                time.sleep(_BETWEEN if is_counted else 0)
            self.asking = (self._cpu() - cpu) / _CALIBRATED
        connection.close()

    def connection(self) -> http.client.HTTPConnection:
        """Return a connection to the server."""
        return http.client.HTTPConnection(urlsplit(self.served.url).netloc, timeout=_PATIENCE)


class Client:
    """One who asks the server for large stacks."""

    def __init__(self, measured: Measured) -> None:
        self._connection = measured.connection()

    def create(self, name: str, body: bytes) -> str:
        """Make a stack; return its path when it is complete."""
        answer = self._ask("POST", "/v1/bench/stacks", body)
        path = f"/v1/bench/stacks/{name}/{json.loads(answer)['stack']['id']}"
        self.ended(path)
        return path

    def update(self, path: str, body: bytes) -> None:
        """Change a stack and wait until it is complete."""
        self._ask("PUT", path, body)
        self.ended(path)

    def preview(self, path: str, body: bytes) -> None:
        """Ask what a change would do."""
        self._ask("PUT", f"{path}/preview", body)

    def delete(self, path: str) -> None:
        """Delete a stack and wait until it is gone."""
        self._ask("DELETE", path)
        self.ended(path)

    def listed(self, path: str, query: str = "") -> int:
        """Return how many resources a listing names. What it says is not kept."""
        self._connection.request("GET", f"{path}/resources?nested_depth=2{query}")
        answer = self._connection.getresponse()
        found, rest = 0, b""
        while chunk := answer.read(1 << 16):
            rest += chunk
            found += rest.count(b'"resource_name"')
            rest = rest[-len(b'"resource_name"') + 1 :]
        return found

    def ended(self, path: str) -> None:
        """Wait until nothing is in progress."""
        while True:
            status = json.loads(self._ask("GET", path))["stack"]["stack_status"]
            if status.endswith("_COMPLETE"):
                return
            if status.endswith("_FAILED"):
                raise AssertionError(status)
            time.sleep(0.1)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        headers = {"Content-Type": "application/json"} if body else {}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status >= 400:
            raise AssertionError(f"{method} {path}: {answer.status} {said[:500]!r}")
        return said


def _body(name: str, template: dict[str, Any]) -> bytes:
    return json.dumps({"stack_name": name, "template": template}).encode()


def _lives(measured: Measured, count: int, wanted: str) -> None:
    client = Client(measured)
    lives: tuple[tuple[str, Callable[[int], Any], str, Callable[[int], Any], int], ...] = (
        # A group has at most 100,000 members.
        ("group", lambda many: group(many - 1), "grow by one", group, 1),
        ("flat", flat, "one change", lambda many: flat(many, True), 0),
        ("distinct", distinct, "one change", lambda many: distinct(many, True), 0),
    )
    for shape, make, change, changed, more in lives:
        if wanted not in ("", shape):
            continue
        name = f"{shape}-{count}"
        first, second = _body(name, make(count)), _body(name, changed(count))
        print(f"at the start: {measured.megabytes('VmRSS'):.0f} MB", flush=True)
        with measured.measuring(f"{shape} of {count:,}: create"):
            path = client.create(name, first)
        with measured.measuring(f"{shape} of {count:,}: preview of {change}"):
            client.preview(path, second)
        with measured.measuring(f"{shape} of {count:,}: {change}"):
            client.update(path, second)
        with measured.measuring(f"{shape} of {count:,}: list"):
            found = client.listed(path)
        assert found == count + more, found
        with measured.measuring(f"{shape} of {count:,}: list with detail"):
            found = client.listed(path, "&with_detail=true")
        assert found == count + more, found
        with measured.measuring(f"{shape} of {count:,}: delete"):
            client.delete(path)


def _chain(measured: Measured, count: int) -> None:
    client, name = Client(measured), f"chain-{count}"
    body = _body(name, chain(count))
    with measured.measuring(f"chain of {count:,}: create"):
        path = client.create(name, body)
    with measured.measuring(f"chain of {count:,}: delete"):
        client.delete(path)


def _serve(writes: Path, arguments: list[str]) -> None:
    """Be the server: `hotplate serve` that also notes its long transactions."""
    from hotplate.cli.main import main  # noqa: PLC0415 (only the server's process needs it)
    from hotplate.server import service  # noqa: PLC0415
    from hotplate.server.metrics import Metrics  # noqa: PLC0415

    class Noting(Metrics):
        def watch(self, engine: Any) -> None:
            super().watch(engine)
            observe = engine.database.observe
            file = writes.open("a", encoding="ascii", buffering=1)

            used = threading.local()

            def note(kind: str, seconds: float) -> None:
                observe(kind, seconds)
                before, used.now = getattr(used, "now", 0.0), time.thread_time()
                if kind == "write" and seconds > 0.005:
                    file.write(f"{seconds:.6f} {used.now - before:.6f}\n")

            engine.database.observe = note

    service.Metrics = Noting  # type: ignore[attr-defined]
    sys.argv[1:] = arguments
    main()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--shape", choices=("group", "flat", "distinct", "chain"), default="")
    arguments = parser.parse_args()
    sizes, shape = arguments.sizes, arguments.shape
    print(_HEADER)
    for count in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "hotplate.toml").write_text(CONFIGURATION, "ascii")
            writes = folder / "writes"
            writes.touch()
            command = folder / "server"
            command.write_text(
                f'#!/bin/sh\nexec {sys.executable} -m {__spec__.name} --serve {writes} "$@"\n',
                "ascii",
            )
            command.chmod(0o700)
            with serving(
                "--config", str(folder / "hotplate.toml"), "--log-level", "error", command=command
            ) as served:
                measured = Measured(served, writes)
                measured.calibrate()
                print(f"a health check: {measured.asking * 1e3:.2f} ms of CPU")
                _lives(measured, count, shape)
                if count == sizes[0] and shape in ("", "chain"):
                    _chain(measured, 1_000)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        _serve(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
