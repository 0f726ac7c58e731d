"""The processes of the test cloud: each has a file with its id, and outlives who started it."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.cloud.box.places import CLOUD, ETC, LOG, PYTHON, ROOT, RUN, VENV, url
from tests.shared_process import is_alive

_HEALTH = {
    "keystone": "/v3",
    "placement": "/",
    "nova": "/",
    "octavia": "/",
}
_PATIENCE = 240.0
_GRACE = 8.0


class Broken(Exception):
    """The cloud, or a part of it, does not do what it should; the text says which log to read."""


def environment(service: str = "") -> dict[str, str]:
    """Return the environment of a service, or of a program of one: no OS_* and no proxy of ours."""
    found = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith("OS_") and not name.lower().endswith("_proxy")
    }
    found |= {
        "CLOUD_DIR": str(CLOUD),
        "PYTHONPATH": f"{ROOT}:{ETC / 'python'}",
        "PYTHONWARNINGS": "ignore",
        "PATH": f"{VENV / 'bin'}:{os.environ.get('PATH', '')}:/usr/sbin",
    }
    if service:
        found[f"OS_{service.upper()}_CONFIG_DIR"] = str(ETC / service)
    if service == "barbican":
        found["HOME"] = str(ETC / "barbican")
    return found


def process_of(name: str) -> int | None:
    """Return the id of a process of the cloud, None if it does not run."""
    try:
        process = int(_id_file(name).read_text())
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    # The number may be another process's by now.
    return process if str(CLOUD).encode() in command and is_alive(process) else None


def spawn(name: str, command: Sequence[str | Path], service: str = "") -> None:
    """Start a process of the cloud; its output goes to a log."""
    with (LOG / f"{name}.out").open("ab") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=environment(service),
            cwd=RUN,
            start_new_session=True,
        )
    process.returncode = 0  # it outlives this process
    _id_file(name).write_text(str(process.pid))


def stop(names: Iterable[str], grace: float = _GRACE) -> None:
    """End processes, and wait until they have ended."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _GRACE)):
        running = [process for process in map(process_of, names) if process]
        for process in running:
            with suppress(ProcessLookupError):
                os.kill(process, number)
        end = time.monotonic() + seconds
        while any(map(is_alive, running)) and time.monotonic() < end:
            time.sleep(0.05)
    for name in names:
        _id_file(name).unlink(missing_ok=True)


def start(services: Iterable[str]) -> None:
    """Start the services that do not run, and return when all answer. Raises Broken."""
    services = list(services)
    for service in services:
        if not process_of(service):
            spawn(service, [PYTHON, "-m", "tests.cloud.box.serve", service], service)
    waiting, end = set(services), time.monotonic() + _PATIENCE
    while waiting := {service for service in waiting if not answers(service)}:
        for service in waiting:
            if not process_of(service):
                raise Broken(f"{service} has ended: see {LOG / service}.out and .log")
        if time.monotonic() > end:
            raise Broken(f"no answer from {', '.join(sorted(waiting))}: see {LOG}")
        time.sleep(0.2)


def answers(service: str) -> bool:
    """Return whether a service answers requests."""
    address = url(service, _HEALTH.get(service, "/healthcheck"))
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=5):
            return True
    except urllib.error.HTTPError as error:
        with error:
            return error.code in (300, 401)
    except OSError:
        return False


def memory_of(process: int) -> int:
    """Return how many MB a process uses; what several share counts in part."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) // 1024
    return 0


def _id_file(name: str) -> Path:
    return RUN / f"{name}.pid"
