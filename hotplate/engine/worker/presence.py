"""Names of workers that tell which process they are, so that its end can be seen at once.

Without this a worker that was killed is missed only when its heartbeat has been silent for long.
Only what is certain counts: on another machine, in another container or without a /proc, nobody
can tell, and the heartbeat decides.
"""

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

ProcessHasEnded = Callable[[str], bool]
"""Tells of a worker by its name whether it is certain that it will never write again."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")
_SEPARATOR = " "


def name_of_this_process() -> str:
    """Return the boot and the container this process lives in, its number and its start."""
    pid = os.getpid()
    return _SEPARATOR.join([_place(), str(pid), _start_of(pid)])


def process_has_ended(name: str) -> bool:
    """Tell whether the process of a name given by `name_of_this_process` has certainly ended."""
    place, _, rest = name.rpartition(_SEPARATOR)[0].rpartition(_SEPARATOR)
    start = name.rpartition(_SEPARATOR)[2]
    if not place or place != _place() or not rest.isdecimal() or not start.isdecimal():
        return False
    return _start_of(int(rest)) != start


def host_of_this_machine() -> str:
    """Return the name of this machine or container, for people."""
    return re.sub(r"[\s/]", "-", socket.gethostname())[:64]


def host_of(name: str) -> str:
    """Return where a worker runs, given its name; empty if the name does not tell."""
    host, slash, _ = name.partition("/")
    return host if slash else ""


def _place() -> str:
    """Return what two processes have in common if they see each other; empty if unknown."""
    try:
        boot = _BOOT.read_text(encoding="ascii").strip()
        return f"{host_of_this_machine()}/{boot}/{_NAMESPACE.readlink().name}"
    except OSError:
        return ""


def _start_of(pid: int) -> str:
    """Return when a process began, by the machine's own count; empty if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The second field is the command in brackets and may hold anything; the 22nd is the start.
    state, *fields = text.rpartition(")")[2].split()
    return "" if state in ("Z", "X") else fields[18]
