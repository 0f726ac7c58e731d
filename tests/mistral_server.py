"""A real Mistral for tests: from PyPI, pinned, in an environment of its own in the user's cache.

The first test that asks for it installs it (about 250 MB and a minute or two, once for each content
of ``mistral.lock``) and starts it on a free port. All workers of a test run share one, which ends
with the last of them. HOTPLATE_MISTRAL_PYTHON names the Python of an environment that has it
already; then nothing is installed.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.locked_environment import locked_environment
from tests.shared_process import enter, free_port, has_users, is_alive, is_used, locked

_HERE = Path(__file__).resolve().parent
_HOME = _HERE.parent / "build" / "mistral"
_LOCK = _HERE / "mistral.lock"
_PROGRAM = _HERE / "mistral_process.py"
_PATIENCE = 180.0
_SETTINGS = """\
[DEFAULT]
transport_url = fake://
[database]
connection = sqlite:///{folder}/mistral.sqlite
[pecan]
auth_enable = false
[api]
host = 127.0.0.1
port = {port}
[engine]
host = 127.0.0.1
[executor]
host = 127.0.0.1
[notifier]
host = 127.0.0.1
[action_std_http]
# Tests have their services on this machine.
denied_cidrs =
"""


@dataclass(frozen=True, slots=True)
class Mistral:
    """A running Mistral. ``url`` ends with the version."""

    url: str
    python: Path
    """The Python of its environment."""

    def request(
        self, method: str, path: str, body: Any = None, text: str | None = None
    ) -> tuple[int, Any]:
        """Send a request with a JSON body, or with a text; return the status and the answer."""
        data = text.encode() if text is not None else None
        kind = "text/plain"
        if body is not None:
            data, kind = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": kind}, method=method
        )
        try:
            with _opener().open(request, timeout=60) as answer:
                content = answer.read()
                return answer.status, json.loads(content) if content else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def define(self, text: str) -> list[str]:
        """Store workflows, in the place of others of the same names; return the names."""
        status, answer = self.request("POST", "/workflows", text=text)
        if status == 409:
            status, answer = self.request("PUT", "/workflows", text=text)
        assert status in (200, 201), answer
        return [each["name"] for each in answer["workflows"]]

    def run(
        self,
        workflow: str,
        given: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        seconds: float = 60.0,
    ) -> dict[str, Any]:
        """Run a workflow to its end, or till it pauses; return the execution, output as a map."""
        asked = {"workflow_name": workflow, "input": given or {}, "params": params or {}}
        status, found = self.request("POST", "/executions", asked)
        assert status == 201, found
        end = time.monotonic() + seconds
        while found["state"] in ("IDLE", "RUNNING") and time.monotonic() < end:
            time.sleep(0.05)
            status, found = self.request("GET", f"/executions/{found['id']}")
            assert status == 200, found
        return {**found, "output": json.loads(found["output"] or "{}")}


@pytest.fixture(scope="session")
def mistral() -> Iterator[Mistral]:
    """A real Mistral, shared by all workers of the test run."""
    with using_mistral() as found:
        yield found


@contextmanager
def using_mistral() -> Iterator[Mistral]:
    """Start a Mistral or join those who use it; the last to leave ends it."""
    users = _HOME / "users"
    with locked(_HOME):
        mark = enter(users)
        found = _running() or _started(users)
    try:
        yield found
    finally:
        with locked(_HOME):
            mark.unlink(missing_ok=True)
            if not has_users(users):
                _stop()


def _running() -> Mistral | None:
    with suppress(OSError, ValueError, KeyError):
        state = json.loads((_HOME / "state.json").read_text())
        found = Mistral(state["url"], Path(state["python"]))
        if is_alive(state["pid"]) and found.request("GET", "/workflows?limit=1")[0] == 200:
            return found
    return None


def _started(users: Path) -> Mistral:
    python = _environment()
    folder = _HOME / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for each in users.iterdir():
        if not is_used(each):
            each.unlink()
    port = free_port()
    settings = folder / "mistral.conf"
    settings.write_text(_SETTINGS.format(folder=folder, port=port))
    # It talks to this machine only, whatever proxy the others use.
    environ = {name: text for name, text in os.environ.items() if "proxy" not in name.lower()}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [python, "-W", "ignore", _PROGRAM, "--config-file", settings, users],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=environ,
            start_new_session=True,
        )
    found = Mistral(f"http://127.0.0.1:{port}/v2", python)
    end = time.monotonic() + _PATIENCE
    while True:
        with suppress(OSError, ValueError):
            if found.request("GET", "/workflows?limit=1")[0] == 200:
                break
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            said = (folder / "log").read_text(errors="replace")[-3000:]
            raise RuntimeError(f"Mistral did not start:\n{said}")
        time.sleep(0.1)
    process.returncode = 0  # it outlives this process, which is no fault of anybody's
    state = {"url": found.url, "python": str(python), "pid": process.pid}
    (_HOME / "state.json").write_text(json.dumps(state))
    return found


def _stop() -> None:
    with suppress(OSError, ValueError, KeyError):
        os.kill(json.loads((_HOME / "state.json").read_text())["pid"], signal.SIGTERM)
    (_HOME / "state.json").unlink(missing_ok=True)


def _environment() -> Path:
    """Return the Python of an environment with the pinned Mistral; make it if there is none."""
    if given := os.environ.get("HOTPLATE_MISTRAL_PYTHON"):
        return Path(given)
    return locked_environment("mistral", _LOCK)


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))
