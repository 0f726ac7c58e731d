"""A process that several test processes use: the first to come starts it, the last one ends it."""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Be the only one who looks into a folder; it is made if there is none."""
    while True:
        home.mkdir(parents=True, exist_ok=True)
        with (home / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                yield
                return
        # The folder was removed while this one waited: begin anew.


def enter(users: Path) -> Path:
    """Count as a user; return the mark to be removed when leaving."""
    users.mkdir(parents=True, exist_ok=True)
    # One process may use the same thing several times at once.
    mark = users / f"{os.getpid()}.{time.monotonic_ns()}"
    mark.touch()
    return mark


def has_users(users: Path) -> bool:
    """Tell whether somebody is left; those who were killed do not count."""
    return any(map(is_used, users.iterdir()))


def is_used(mark: Path) -> bool:
    """Tell whether the one who made a mark is still there."""
    return is_alive(int(mark.name.partition(".")[0]))


def is_alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody waited for does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
