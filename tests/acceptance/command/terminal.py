"""The real command in a real terminal: a process behind a pseudo-terminal, and its screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyte

from tests.acceptance import warm_command

COMMAND = Path(sys.executable).with_name("hotplate")
PATIENCE = 60.0


def environment(home: Path, **more: str) -> dict[str, str]:
    """Variables for a command that knows nothing of this machine's user."""
    kept = ("PATH", "LANG", "LC_ALL", "TMPDIR")
    clean = {name: os.environ[name] for name in kept if name in os.environ}
    return clean | {"HOME": str(home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | more


def _take_terminal() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _started(
    arguments: list[str], folder: Path, environ: dict[str, str], slave: int
) -> subprocess.Popen[bytes] | warm_command.WarmProcess:
    if environ["LC_ALL"] == "C.UTF-8":
        streams = (slave, slave, slave)
        return warm_command.start(arguments, environ, folder, streams, takes_terminal=True)
    # Python decides at its start what a terminal can show.
    return subprocess.Popen(
        [COMMAND, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        env=environ,
        start_new_session=True,
        # So that Ctrl-C reaches it, also from a test in the background. Two system calls, no
        # matter what other threads do.
        preexec_fn=_take_terminal,  # noqa: PLW1509
    )


class Terminal:
    """A running command and what its screen shows."""

    def __init__(
        self, arguments: list[str], home: Path, folder: Path, columns: int, lines: int, **more: str
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, lines, history=5000, ratio=1)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = _started(arguments, folder, environment(home, **more), slave)
        os.close(slave)

    def read(self, seconds: float) -> bool:
        """Take what the command has written; False at its end."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def text(self) -> str:
        """Everything on the screen and above it."""
        above = [
            "".join(row[column].data for column in range(self.screen.columns)).rstrip()
            for row in self.screen.history.top
        ]
        return "\n".join([*above, *(line.rstrip() for line in self.screen.display)]).rstrip()

    def until(self, words: str) -> str:
        """Wait until the screen shows the words."""
        limit = time.monotonic() + PATIENCE
        while words not in self.text():
            assert time.monotonic() < limit, f"no {words!r} in\n{self.text()}"
            assert self.read(0.1), f"ended without {words!r}:\n{self.text()}"
        return self.text()

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Wait for the end and return the exit code."""
        limit = time.monotonic() + PATIENCE
        while self.read(0.1):
            assert time.monotonic() < limit, self.text()
            if self.process.poll() is not None and not select.select([self._master], [], [], 0)[0]:
                break
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._master)


@contextmanager
def terminal(
    *arguments: str,
    home: Path,
    folder: Path | None = None,
    columns: int = 80,
    lines: int = 30,
    **more: str,
) -> Iterator[Terminal]:
    """Run a command in a terminal for the length of a block."""
    opened = Terminal(list(arguments), home, folder or home, columns, lines, **more)
    try:
        yield opened
    finally:
        opened.close()


def piped(
    *arguments: str,
    home: Path,
    folder: Path | None = None,
    more: Mapping[str, str] | None = None,
    given: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command with pipes instead of a terminal."""
    return warm_command.run(
        arguments, environment(home, **(more or {})), folder or home, given or "", PATIENCE
    )
