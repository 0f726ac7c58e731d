"""The command `hotplate`, begun in a copy of a process that has imported everything already.

A real start spends a second on imports and a few milliseconds on what a test is about. Here one
process imports everything once; each command is a fork of it with arguments, variables, folder and
streams of its own, and ends as any process does. Where the start itself is the subject, tests run
the installed command.

As a program this module is that one process. It gets its orders over a socket: a line of JSON, and
with it the three streams and a pipe on which it tells the exit code.
"""

import atexit
import contextlib
import fcntl
import gc
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

_PATIENCE = 60
_LONGEST = 1 << 20
_LATE = (
    "alembic.command",
    "alembic.config",
    "encodings.ascii",
    "encodings.idna",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.httptools_impl",
)
"""What commands and servers import when they need it, as most of them do."""


class WarmProcess:
    """A command that runs, with the methods of `subprocess.Popen` that tests need."""

    def __init__(self, pid: int, status: int, arguments: Sequence[str]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        self._status = status
        self._arguments = arguments

    def poll(self) -> int | None:
        """Return the exit code, or nothing while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code at the end. Raises subprocess.TimeoutExpired."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(list(self._arguments), timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            # It may have ended, and its exit code be on its way.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it, whatever it does."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            said = os.read(self._status, 16)
            os.close(self._status)
            assert said, "the warm process has ended"
            self.returncode = int(said)
        return self.returncode


def start(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    folder: Path,
    streams: tuple[int, int, int],
    takes_terminal: bool = False,
) -> WarmProcess:
    """Start a command; the streams stay the caller's. It can take the terminal of its input."""
    order = {
        "arguments": list(arguments),
        "environ": dict(environ),
        "folder": str(folder),
        "takes_terminal": takes_terminal,
    }
    status, theirs = os.pipe()
    try:
        line = _warm()
        socket.send_fds(line, [json.dumps(order).encode()], [*streams, theirs])
        pid = int(line.recv(32))
    finally:
        os.close(theirs)
    return WarmProcess(pid, status, arguments)


def run(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    folder: Path,
    given: str = "",
    timeout: float = _PATIENCE,
    is_merged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a command with pipes to its end; both that it writes to may be one."""
    reader, writer = os.pipe()
    out, out_writer = os.pipe()
    err, err_writer = os.pipe()
    streams = (reader, out_writer, out_writer if is_merged else err_writer)
    process = start(arguments, environ, folder, streams)
    for each in (reader, out_writer, err_writer):
        os.close(each)
    # What Popen does with its own pipes, with those of a process that is not a child.
    texts = _exchange(writer, given.encode(), (out, err), time.monotonic() + timeout)
    if texts is None:
        process.kill()
        process.wait()
        raise subprocess.TimeoutExpired(list(arguments), timeout)
    code = process.wait(timeout)
    return subprocess.CompletedProcess(["hotplate", *arguments], code, *texts)


def _exchange(
    writer: int, given: bytes, readers: tuple[int, int], end: float
) -> tuple[str, str] | None:
    """Write and read until both readers are at their end; nothing if that takes too long."""
    read: dict[int, bytes] = dict.fromkeys(readers, b"")
    left, writers = list(readers), [writer]
    os.set_blocking(writer, False)
    try:
        while left or writers:
            if not given and writers:
                os.close(writers.pop())
                continue
            ready, writable, _ = select.select(left, writers, [], max(0, end - time.monotonic()))
            if not ready and not writable:
                return None
            for each in writable:
                try:
                    given = given[os.write(each, given) :]
                except BrokenPipeError:
                    given = b""
            for each in ready:
                data = os.read(each, 1 << 16)
                read[each] += data
                if not data:
                    left.remove(each)
        out, err = (read[each].decode().replace("\r\n", "\n") for each in readers)
        return out, err
    finally:
        for each in (*writers, *readers):
            os.close(each)


@cache
def _warm() -> socket.socket:
    """Start the process that has imported everything; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance.warm_command", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env={name: text for name, text in os.environ.items() if not name.startswith("HOTPLATE_")},
    )
    theirs.close()

    def close() -> None:
        ours.close()
        process.wait(_PATIENCE)

    atexit.register(close)
    return ours


def _serve(line: socket.socket) -> None:
    """Fork a command for every order, until whoever gives them has gone."""
    import_everything()
    _rehearse()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever gives the orders
    gc.collect()
    gc.freeze()
    statuses: dict[int, int] = {}
    awake, waker = os.pipe()
    os.set_blocking(waker, False)
    os.set_blocking(awake, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([line.fileno(), awake], [], [])
        if awake in ready:
            os.read(awake, 512)
            _tell_ends(statuses)
        if line.fileno() in ready:
            data, streams, _, _ = socket.recv_fds(line, _LONGEST, 4)
            if not data:
                return
            pid = os.fork()
            if pid == 0:
                line.close()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for each in (awake, waker, *statuses.values(), streams[3]):
                    os.close(each)
                _become(json.loads(data), streams[:3])
            statuses[pid] = streams.pop()
            for each in streams:
                os.close(each)
            line.send(str(pid).encode())


def import_everything() -> None:
    """Import all that a command may need, and find the resource types."""
    package = import_module("hotplate")
    for module in pkgutil.walk_packages(package.__path__, "hotplate."):
        # Migrations run when they are imported, and so do programs.
        if not module.name.endswith("__main__") and ".migrations." not in module.name:
            import_module(module.name)
    for name in _LATE:
        import_module(name)
    import_module("hotplate.resources.catalogue").installed()


def _rehearse() -> None:
    """Do once what each command and server does first: what that compiles is there for all."""
    from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS  # noqa: PLC0415
    from hotplate.api.http.routes import Routes  # noqa: PLC0415
    from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS  # noqa: PLC0415
    from hotplate.store.database import open_engine  # noqa: PLC0415
    from hotplate.store.upgrade import upgrade  # noqa: PLC0415

    for endpoints in (ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS):
        Routes(endpoints)
    engine = open_engine("sqlite://")
    upgrade(engine)
    engine.dispose()


def _tell_ends(statuses: dict[int, int]) -> None:
    for pid in list(statuses):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            pipe = statuses.pop(pid)
            with suppress(BrokenPipeError):  # nobody wants to know
                os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(pipe)


def _become(order: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be the command: as after a start from a shell."""
    if order["takes_terminal"]:
        os.setsid()
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environ"])
    time.tzset()
    sys.argv = ["hotplate", *order["arguments"]]
    sys.stdin = _stream(0, "r", "surrogateescape")
    sys.stdout = _stream(1, "w", "surrogateescape")
    sys.stderr = _stream(2, "w", "backslashreplace")
    sys.stderr.reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from hotplate.cli import main  # noqa: PLC0415

    try:
        main()
    except SystemExit as end:
        _end(end)
    raise AssertionError("the command did not end")


def _end(end: SystemExit) -> NoReturn:
    """End as Python does, but leave all modules as they are.

    To take those apart that this command never used, and copy their memory for that, would cost
    more than most commands do.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if not isinstance(end.code, int | None):
        print(end.code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError):  # it was closed
            stream.flush()
    os._exit(end.code & 0xFF if isinstance(end.code, int) else int(end.code is not None))


def _stream(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    """Open a standard stream as Python does at its start with LC_ALL=C.UTF-8."""
    raw = io.FileIO(number, mode, closefd=False)
    buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors=errors, line_buffering=raw.isatty())


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
