"""The real `openstack` command. Run as a program it is a server of such commands.

Each command is a process of its own, with its own output and exit code. It is forked from one
that has imported everything, because starting anew takes longer than what is tested. Nothing of
the command is changed but its patience: it looks every fifth of a second instead of every five.
"""

import json
import logging
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

PATIENCE = 60
_PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Openstack:
    """Runs commands against one endpoint, in one folder."""

    def __init__(self, server: "subprocess.Popen[str]", folder: Path) -> None:
        self._server = server
        self._count = 0
        self.folder = folder

    def __call__(self, *arguments: str) -> Ran:
        """Run a command to its end, whatever that is."""
        return self.begin(*arguments).end()

    def ok(self, *arguments: str) -> str:
        """Return what a command printed that must not fail."""
        ran = self(*arguments)
        assert ran.code == 0, f"{arguments}: {ran.code}\n{ran.out}\n{ran.err}"
        return ran.out

    def json(self, *arguments: str) -> Any:
        """Return what a command printed with ``-f json``."""
        return json.loads(self.ok(*arguments, "-f", "json"))

    def refused(self, *arguments: str) -> str:
        """Return the words of a command that must fail."""
        ran = self(*arguments)
        assert ran.code == 1, f"{arguments}: {ran.code}\n{ran.out}\n{ran.err}"
        assert "Traceback" not in ran.err
        return ran.err

    def begin(self, *arguments: str) -> "Running":
        """Start a command; several may run at the same time."""
        self._count += 1
        output = self.folder / f".ran-{self._count}"
        return Running(self, self.ask({"arguments": arguments, "output": str(output)}), output)

    def write(self, name: str, text: str) -> str:
        """Write a file where commands run, and return its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def ask(self, request: dict[str, Any]) -> int:
        """Send a request to the server of commands and return its answer."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())


class Running:
    """A command that has been started."""

    def __init__(self, openstack: Openstack, process: int, output: Path) -> None:
        self._openstack = openstack
        self._process = process
        self._output = output

    def printed(self, words: str) -> None:
        """Wait until it has printed these words."""
        limit = time.monotonic() + PATIENCE
        while words not in (text := self._read("out")):
            assert time.monotonic() < limit, text
            time.sleep(0.05)

    def interrupt(self) -> Ran:
        """Stop it as a user does who presses Ctrl-C."""
        os.kill(self._process, signal.SIGINT)
        return self.end()

    def end(self) -> Ran:
        """Wait until it ends."""
        code = self._openstack.ask({"wait": self._process})
        return Ran(code, self._read("out"), self._read("err"))

    def _read(self, kind: str) -> str:
        path = self._output.with_suffix(f".{kind}")
        return path.read_text(encoding="utf-8") if path.exists() else ""


@contextmanager
def openstack(endpoint: str, folder: Path) -> Iterator[Openstack]:
    """Make commands ready for the length of a block."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("OS_")}
    given = {"HOME": str(folder), "OS_AUTH_TYPE": "none", "OS_ENDPOINT": endpoint}
    root = str(Path(__file__).resolve().parents[3])
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance.clients.openstack_command"],
        cwd=folder,
        env=clean | given | {"PYTHONPATH": root, "COLUMNS": "200"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        try:
            yield Openstack(server, folder)
        finally:
            server.kill()


def _shorten(pause: float = _PAUSE) -> None:
    sleep = time.sleep

    def shorter(seconds: float) -> None:
        sleep(min(seconds, pause))

    time.sleep = shorter  # type: ignore[assignment]


def _child(arguments: list[str], output: str) -> NoReturn:
    from openstackclient import shell  # noqa: PLC0415

    code = 1
    try:
        signal.alarm(PATIENCE)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, kind in ((1, "out"), (2, "err")):
            place = os.open(f"{output}.{kind}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(place, number)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        _shorten()
        code = shell.main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _import_everything() -> None:
    """Run one command, so that its children find all modules loaded."""
    from openstackclient import shell  # noqa: PLC0415

    with redirect_stdout(StringIO()):
        shell.main(["orchestration", "build", "info"])
    # Each command makes its own.
    logging.getLogger().handlers.clear()


def _serve() -> None:
    _import_everything()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _child(request["arguments"], request["output"])
        print(answer, flush=True)


if __name__ == "__main__":
    _serve()
