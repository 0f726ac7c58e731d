"""The real server: `hotplate serve` as a process of its own."""

import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx

from hotplate.server.watchdog import EXCUSED
from hotplate.server.watchdog import MESSAGE as LATE
from tests.acceptance import warm_command
from tests.acceptance.warm_command import WarmProcess
from tests.databases import new_sqlite_file

PATIENCE = 60
COMMAND = Path(sys.executable).with_name("hotplate")
# The task that starts and ends a server, where nothing inside of it was seen at work.
_PLACES = (*EXCUSED, "server/service.py:serve")
_EXCUSED = (*(f"place={each} " for each in _PLACES), *(f'"place": "{each}"' for each in _PLACES))
"""How a line of the log says so, as text and as JSON."""

READY = re.compile(r"hotplate is ready: (http://\S+)/v1 \(database (.*)\)\n")


@dataclass(slots=True)
class Served:
    """A server that is ready. ``url`` is its root, without a version."""

    process: subprocess.Popen[str] | WarmProcess
    url: str
    database: str
    errors: Path
    said: str = ""
    """What it had written to its standard error when it ended."""

    def endpoint(self, project: str = "project") -> str:
        """Return what clients call the endpoint."""
        return f"{self.url}/v1/{project}"

    def log(self) -> str:
        """Return what it has written to its standard error so far."""
        if self.said:
            return self.said
        return self.errors.read_text(encoding="utf-8")


_KEYS = tempfile.TemporaryDirectory(prefix="hotplate-keys-")


def start(
    *flags: str,
    database: str,
    folder: Path,
    environ: Mapping[str, str] | None = None,
    command: Path | None = None,
) -> Served:
    """Start a server on a free port and return it when it is ready.

    Without a command it is a copy of a process that has imported everything.
    """
    arguments = ["serve", "--listen", "127.0.0.1:0", "--database", database, *flags]
    errors = folder / f"stderr-{time.monotonic_ns()}"
    clean = {name: text for name, text in os.environ.items() if not name.startswith("HOTPLATE_")}
    # What the user of this machine configured is no part of a test.
    variables = clean | {"HOME": str(folder), "XDG_CONFIG_HOME": ""}
    # One for all that this process starts: several may work on one database.
    variables |= {"HOTPLATE_KEY_FILE": f"{_KEYS.name}/secrets.key"}
    variables |= {"HOTPLATE_TEST_RESOURCES": "true"} | dict(environ or {})
    with errors.open("w", encoding="utf-8") as stderr:
        if command is None:
            process: subprocess.Popen[str] | WarmProcess = _warm(arguments, variables, stderr)
        else:
            process = _cold(command, arguments, variables, stderr)
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    line = process.stdout.readline() if ready else ""
    match = READY.fullmatch(line)
    if match is None:
        process.kill()
        process.wait()
        process.stdout.close()
        said = errors.read_text(encoding="utf-8")
        raise AssertionError(f"not ready ({process.returncode}): {line!r}\n{said}")
    return Served(process, match[1], match[2], errors)


def _cold(
    command: Path, arguments: Sequence[str], environ: Mapping[str, str], stderr: IO[str]
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [command, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=environ,
    )


def _warm(arguments: Sequence[str], environ: Mapping[str, str], stderr: IO[str]) -> WarmProcess:
    reader, writer = os.pipe()
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        streams = (nothing.fileno(), writer, stderr.fileno())
        process = warm_command.start(arguments, environ, Path.cwd(), streams)
    os.close(writer)
    process.stdout = os.fdopen(reader, encoding="utf-8")
    return process


def stop(served: Served, number: signal.Signals = signal.SIGTERM) -> None:
    """Stop a server in good order: exit code 0 and no traceback."""
    served.process.send_signal(number)
    try:
        code = served.process.wait(PATIENCE)
    finally:
        end(served)
    assert code == 0, f"exit code {code}\n{served.log()}"
    assert "Traceback" not in served.log(), served.log()
    late = [
        line
        for line in served.log().splitlines()
        if LATE in line and not any(place in line for place in _EXCUSED)
    ]
    assert not late, "\n".join(late)


def end(served: Served) -> None:
    """Make sure that nothing of a server is left, however it fared."""
    served.process.kill()
    served.process.wait()
    served.said = served.log()
    if served.process.stdout is not None:
        served.process.stdout.close()


@contextmanager
def serving(
    *flags: str,
    database: str = "",
    environ: Mapping[str, str] | None = None,
    command: Path | None = None,
) -> Iterator[Served]:
    """Run a server for the length of a block, without a database named on one of its own."""
    with tempfile.TemporaryDirectory(prefix="hotplate-") as name:
        folder = Path(name)
        url = database or f"sqlite:///{new_sqlite_file(folder / 'hotplate.db')}"
        served = start(*flags, database=url, folder=folder, environ=environ, command=command)
        try:
            yield served
        except BaseException:
            end(served)
            raise
        stop(served)


def _state(address: str) -> str:
    shown: dict[str, Any] = httpx.get(address).json()["stack"]
    return str(shown["stack_status"])


def until(address: str, wanted: str, seconds: float = PATIENCE) -> None:
    """Wait until a stack has a status."""
    limit = time.monotonic() + seconds
    while (seen := _state(address)) != wanted:
        assert time.monotonic() < limit, f"still {seen}"
        time.sleep(0.05)
