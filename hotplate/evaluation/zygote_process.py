"""What the zygote does: it loads all that processes of a pool need, forks them, and ends them."""

import gc
import os
import pickle
import signal
import socket
import sys

from hotplate.evaluation.frames import FORK, PID, receive_frame
from hotplate.evaluation.priority import come_last
from hotplate.evaluation.process import serve
from hotplate.evaluation.settings import PoolSettings
from hotplate.resources.catalogue import Catalogue, installed


def main() -> None:
    """Be a zygote that was started as a program of its own."""
    obey(socket.socket(fileno=int(sys.argv[1])))


def obey(control: socket.socket, is_needed_soon: bool = False) -> None:
    """Fork and kill as the server says, until it is gone.

    All is loaded when the first process is asked for, or at once if that ``is_needed_soon``.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        # The server ends, and with it the connection.
        signal.signal(number, signal.SIG_IGN)
    come_last()
    catalogue = _load() if is_needed_soon else None
    received = receive_frame(control)
    if received is None:
        return
    settings: PoolSettings = pickle.loads(received)  # noqa: S301 (from the server that started this)
    _obey(control, settings, catalogue or _load())


def _load() -> Catalogue:
    """Load all that is needed once, for all that are forked; return the resource types."""
    catalogue = installed()
    for name in catalogue:
        catalogue.get(name)
    import yaql  # noqa: F401, PLC0415 (not for a zygote that is never asked)

    gc.collect()
    gc.freeze()
    return catalogue


def _obey(control: socket.socket, settings: PoolSettings, catalogue: Catalogue) -> None:
    children: set[int] = set()
    while True:
        message, files, _, _ = socket.recv_fds(control, 1 + PID.size, 1)
        if not message:
            break
        if message[:1] == FORK:
            connection = socket.socket(fileno=files[0])
            pid = os.fork()
            if pid == 0:
                _serve(control, connection, settings, catalogue)
            connection.close()
            children.add(pid)
            control.sendall(PID.pack(pid))
        else:
            (pid,) = PID.unpack(message[1:])
            if pid in children:
                _end(pid)
                children.discard(pid)
            control.sendall(PID.pack(pid))
    for pid in children:
        _end(pid)


def _serve(
    control: socket.socket, connection: socket.socket, settings: PoolSettings, catalogue: Catalogue
) -> None:
    status = 1
    try:
        control.close()
        serve(connection, settings, catalogue)
        status = 0
    finally:
        os._exit(status)


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    os.waitpid(pid, 0)
