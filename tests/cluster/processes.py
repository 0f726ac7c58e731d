"""A cluster on this machine: a broker, a database, servers without an engine, and workers."""

import os
import re
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.rabbitmq import Broker

PATIENCE = 120.0
_COMMAND = str(Path(sys.executable).with_name("hotplate"))
_READY = re.compile(r"hotplate (?:worker )?is ready:? \(?(\S+?)(?:/v1)? .*\n")


class Process:
    """A command that goes on until it is ended."""

    def __init__(self, command: Sequence[str], environ: dict[str, str], log: Path) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environ,
                text=True,
            )
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        self.said = self._process.stdout.readline() if ready else ""
        if "ready" not in self.said:
            self.kill()
            raise AssertionError(f"not ready: {command}\n{log.read_text()[-4000:]}")

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def stop(self) -> float:
        """End it in good order; return how many seconds it took."""
        begun = time.monotonic()
        self._process.terminate()
        assert self._process.wait(PATIENCE) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()
        return time.monotonic() - begun


@dataclass(slots=True)
class Cluster:
    """Processes on one database. ``broker`` is the URL of one, or empty."""

    folder: Path
    database: str
    broker: str
    options: tuple[str, ...] = ()
    """What else servers and workers are told."""

    workers: list[Process] = field(default_factory=list)
    api: Process | None = None
    url: str = ""

    def start_api(self) -> None:
        """Start a server that only answers."""
        self.api = self._start("serve", "--no-engine", "--listen", "127.0.0.1:0")
        found = re.search(r"http://\S+", self.api.said)
        assert found is not None
        self.url = found[0]

    def start_worker(self) -> Process:
        """Start a worker."""
        worker = self._start("worker")
        self.workers.append(worker)
        return worker

    def start_program(self, *arguments: str) -> Process:
        """Start a worker that is a module of these tests."""
        command = [sys.executable, "-m", *arguments, self.database, self.broker]
        worker = Process(command, self._environ(), self.folder / "log")
        self.workers.append(worker)
        return worker

    def ask(self, method: str, path: str, sent: Any = None) -> httpx.Response:
        """Return the answer of the API. Raises httpx.HTTPError if there is none."""
        return httpx.request(
            method, f"{self.url}/p{path}", json=sent, timeout=PATIENCE, follow_redirects=True
        )

    def create(self, name: str, template: dict[str, Any], **more: Any) -> None:
        """Ask for a stack."""
        sent = {"stack_name": name, "template": template, "disable_rollback": True, **more}
        answer = self.ask("POST", "/stacks", sent)
        assert answer.status_code == 201, answer.text

    def update(self, name: str, template: dict[str, Any], **more: Any) -> None:
        """Ask for a change of a stack."""
        stack_id = self.stack(name)["id"]
        sent = {"template": template, "disable_rollback": True, **more}
        answer = self.ask("PUT", f"/stacks/{name}/{stack_id}", sent)
        assert answer.status_code == 202, answer.text

    def delete(self, name: str) -> None:
        """Ask for the end of a stack."""
        answer = self.ask("DELETE", f"/stacks/{name}/{self.stack(name)['id']}")
        assert answer.status_code == 204, answer.text

    def stack(self, name: str) -> dict[str, Any]:
        """Return a stack; empty if there is none."""
        answer = self.ask("GET", f"/stacks/{name}")
        found: dict[str, Any] = answer.json()["stack"] if answer.status_code == 200 else {}
        return found

    def ended(self, name: str, seconds: float = PATIENCE) -> str:
        """Return the status of a stack when nothing is in progress; empty if it is gone."""
        end = time.monotonic() + seconds
        while True:
            stack = self.stack(name)
            status = str(stack.get("stack_status", ""))
            if not status.endswith("IN_PROGRESS"):
                return status
            if time.monotonic() > end:
                raise AssertionError(f"{name} is still {status}\n{self.log()}")
            time.sleep(0.05)

    def log(self) -> str:
        """Return the end of what all processes have logged."""
        return (self.folder / "log").read_text(errors="replace")[-6000:]

    def close(self) -> None:
        """End all processes."""
        for each in (*self.workers, self.api):
            if each is not None and each._process.poll() is None:
                each.signal(signal.SIGCONT)
                each.kill()

    def _start(self, *arguments: str) -> Process:
        command = [_COMMAND, *arguments, "--database", self.database]
        command += ["--objects", str(self.folder / "objects"), "--test-resources", *self.options]
        return Process(command, self._environ(), self.folder / "log")

    def _environ(self) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HOTPLATE_")}
        clean |= {"HOME": str(self.folder), "XDG_CONFIG_HOME": ""}
        clean |= {"HOTPLATE_KEY_FILE": str(self.folder / "secrets.key")}
        return clean | ({"HOTPLATE_BROKER": self.broker} if self.broker else {})


def own_queue(broker: Broker) -> str:
    """Return the URL of a queue that no other test uses."""
    return f"{broker.url}?queue=test-{uuid.uuid4().hex[:12]}"


def template(**resources: Any) -> dict[str, Any]:
    """Return a template."""
    return {"heat_template_version": "2021-04-16", "resources": resources}
