"""The process from which those of a pool are forked: it has loaded all that they need.

A process of a pool that took too much is killed; another one stands ready a few milliseconds later.
"""

import os
import pickle
import signal
import socket
import subprocess
import sys
from typing import Final

from hotplate.evaluation.frames import FORK, KILL, PID, send_frame
from hotplate.evaluation.settings import PoolSettings

_START: Final = "from hotplate.evaluation.zygote_process import main; main()"


class Gone(Exception):
    """The zygote has ended."""


class Zygote:
    """The way to the zygote. All methods block; one caller at a time."""

    def __init__(self, pid: int, control: socket.socket) -> None:
        self.pid = pid
        self._control = control
        self._has_settings = False
        self._is_alive = True

    @classmethod
    def forked(cls, is_needed_soon: bool = False) -> "Zygote":
        """Fork one from this process, with which it shares its memory.

        Only where there is one thread yet, and no event loop. It loads what processes of the pool
        need when the first one is asked for, or at once if that ``is_needed_soon``.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                os.setsid()
                from hotplate.evaluation.zygote_process import obey  # noqa: PLC0415 (there only)

                obey(theirs, is_needed_soon)
            finally:
                os._exit(0)
        theirs.close()
        return cls(pid, ours)

    @classmethod
    def spawned(cls) -> "Zygote":
        """Start one as a program of its own."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            process = subprocess.Popen(  # noqa: S603 (nothing in it is a user's)
                [sys.executable, "-c", _START, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        process.returncode = 0  # it is waited for here, by its number
        return cls(process.pid, ours)

    @property
    def is_alive(self) -> bool:
        """Whether it can fork."""
        if self._is_alive:
            try:
                self._is_alive = os.waitpid(self.pid, os.WNOHANG)[0] == 0
            except ChildProcessError:
                self._is_alive = False
        return self._is_alive

    def fork(self, settings: PoolSettings) -> tuple[int, socket.socket]:
        """Return a new process and the way to it. Raises Gone."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            try:
                if not self._has_settings:
                    # Not among the arguments: the address of a database may have a password in it.
                    send_frame(self._control, pickle.dumps(settings))
                    self._has_settings = True
                socket.send_fds(self._control, [FORK], [theirs.fileno()])
                return self._answer(), ours
            except (OSError, Gone) as error:
                ours.close()
                raise Gone(str(error)) from None

    def kill(self, pid: int) -> None:
        """End a process; it is gone when this returns. Raises Gone."""
        try:
            self._control.sendall(KILL + PID.pack(pid))
            self._answer()
        except OSError as error:
            raise Gone(str(error)) from None

    def close(self) -> None:
        """End it and all that were forked from it."""
        self._control.close()
        if self.is_alive:
            try:
                os.kill(self.pid, signal.SIGCONT)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                return
            self._is_alive = False

    def _answer(self) -> int:
        answer = self._control.recv(PID.size)
        if len(answer) < PID.size:
            raise Gone("the process that evaluates templates is gone")
        return int(PID.unpack(answer)[0])
