"""Servers that can be killed and are there again at once. Run as a program it forks them.

Each line of its input names a configuration file; the answer is one line with the number of the
process and the address of a server that is ready. It is forked, because importing everything anew
would take longer than what is tested.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hotplate.server.address import Address
from hotplate.server.configuration import configure
from hotplate.server.service import serve

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Forked:
    """A server that is ready."""

    pid: int
    url: str

    def kill(self) -> None:
        """End it at once; it has no chance to tidy up."""
        os.kill(self.pid, signal.SIGKILL)


class Forks:
    """Starts servers on one configuration, one after the other."""

    def __init__(self, process: "subprocess.Popen[str]", configuration: Path) -> None:
        self._process = process
        self._configuration = configuration

    def start(self) -> Forked:
        """Start a server and return it when it is ready."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{self._configuration}\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        return Forked(told["pid"], told["url"])


@contextmanager
def forks(configuration: Path) -> Iterator[Forks]:
    """Whatever is forked is gone at the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.acceptance.workflows.workflow_server"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Forks(process, configuration)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def _serve(file: str) -> None:
    def ready(address: Address) -> None:
        print(json.dumps({"pid": os.getpid(), "url": f"http://{address}"}), flush=True)

    asyncio.run(serve(configure({}, {"HOME": "/nowhere"}, Path(file)), ready))


def main() -> None:
    """Fork a server for each line of the input; end with the last of them."""
    children = []
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            sys.stdin.close()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                _serve(line.strip())
            finally:
                os._exit(0)
        children.append(pid)
    for pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
