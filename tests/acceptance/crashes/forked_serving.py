"""`hotplate serve` many times over: started from a process that has imported everything already.

Run as a program it is that process. Each line of its input is a list: where to write, and the
arguments of the command. It forks, runs the command in the child as a shell would, and answers
with the child's process id.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import IO

from tests.acceptance.serving import READY

PATIENCE = 60


class Forge:
    """Starts servers and kills them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HOTPLATE_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.crashes.forked_serving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean
            | {"HOME": str(folder), "XDG_CONFIG_HOME": "", "HOTPLATE_TEST_RESOURCES": "true"},
        )
        self._number = 0

    @property
    def _input(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def start(self, *arguments: str) -> tuple[int, str]:
        """Start a server; return its process id and its root when it is ready."""
        self._number += 1
        out = self._folder / f"server-{self._number}"
        print(json.dumps([str(out), arguments]), file=self._input, flush=True)
        ready, _, _ = select.select([self._output], [], [], PATIENCE)
        assert ready, "the forge is silent"
        pid = int(self._output.readline())
        deadline = time.monotonic() + PATIENCE
        while (match := READY.search(_text(out))) is None:
            assert is_alive(pid), _text(out)
            assert time.monotonic() < deadline, _text(out)
            time.sleep(0.005)
        return pid, match[1]

    def said(self) -> str:
        """Return what the last server has written."""
        return _text(self._folder / f"server-{self._number}")

    def close(self) -> None:
        """End the process; servers are killed by whoever started them."""
        self._input.close()
        self._process.wait(PATIENCE)
        self._output.close()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def is_alive(pid: int) -> bool:
    """Tell whether a process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def kill(pid: int) -> None:
    """Kill a process and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.002)


def _serve() -> None:
    from hotplate.cli.main import run  # noqa: PLC0415

    import_module("hotplate.cli.commands.running.serve")
    import_module("hotplate.engine.embedded")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the killed leave nothing behind
    for line in sys.stdin:
        out, arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            stream = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for number, target in ((0, nothing), (1, stream), (2, stream)):
                os.dup2(target, number)
            try:
                run(arguments)
            finally:
                os._exit(1)
        print(pid, flush=True)


if __name__ == "__main__":
    _serve()
