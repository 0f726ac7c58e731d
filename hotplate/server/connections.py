"""Who is connected: how many at a time, from where, and who has to make room for others."""

import ipaddress
import logging
import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

_log = logging.getLogger("hotplate.server")

_OTHER_FILES = 256
"""Descriptors that the rest of the process may need: database, cloud, logs, child processes."""

_BETWEEN_LINES = 10.0
"""Seconds between two lines of the log about closed connections."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What clients may use of the socket: the table [connections]."""

    most: int = 1000
    """Connections at a time."""

    most_per_address: int = 200
    """Connections of one address at a time; proxies that are trusted have no such limit."""

    largest_headers: int = 64 * 1024
    """Bytes of a request line and its headers."""

    seconds_for_headers: float = 10.0
    """From the first byte of a request, or the start of a connection, to the end of its headers."""

    seconds_for_body: float = 30.0
    """For the body of a request, and one second more for each ``slowest_rate`` bytes of it."""

    seconds_to_read: float = 30.0
    """For a client that reads nothing of its answer, and one more for each ``slowest_rate``."""

    slowest_rate: int = 4096
    """Bytes per second below which a client is too slow."""


class Reason(Enum):
    """Why a connection was closed or refused."""

    HEADERS = "slow_headers"
    BODY = "slow_body"
    READING = "slow_reader"
    IDLE = "idle"
    EVICTED = "made_room"
    FULL = "full"
    MALFORMED = "malformed"


class Connection(Protocol):
    """What is asked of a connection."""

    address: str
    since: float
    """When it began to wait for its client."""

    has_answered: bool
    """Whether a request has come through it and has been answered."""

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for its client and nothing is being worked on for it."""

    def overdue(self, now: float) -> Reason | None:
        """Return why its client has to be given up by now, if it has to."""

    def drop(self, reason: Reason) -> None:
        """Close it at once."""


class Connections:
    """All connections of a server. Used in the event loop only.

    When no more are allowed, the one that has waited longest for its client makes room: of the
    address that has most, and first of those that never brought a whole request. Whoever opens
    connections and leaves them half open closes their own, and not those of others behind the same
    address. A connection with a request in hand is never closed for another.
    """

    def __init__(self, limits: ConnectionLimits, is_proxy: Callable[[str], bool]) -> None:
        self.limits = limits
        self.closed: Counter[str] = Counter()
        """How many were closed or refused so far, by reason."""

        self._is_proxy = is_proxy
        self._open: set[Connection] = set()
        self._of: Counter[str] = Counter()
        self._unreported: Counter[str] = Counter()
        self._last_line = float("-inf")
        self._last_address = ""

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> bool:
        """Count a new connection, if there is room for it or can be made."""
        address = connection.address
        own = self._of[address]
        if own >= self.limits.most_per_address and not self._is_proxy(address):
            own_only = [each for each in self._open if each.address == address]
            if not self._make_room(own_only):
                self.count(Reason.FULL, address)
                return False
        elif len(self._open) >= self.limits.most and not self._make_room(self._open):
            self.count(Reason.FULL, address)
            return False
        self._open.add(connection)
        self._of[address] += 1
        return True

    def _make_room(self, among: "set[Connection] | list[Connection]") -> bool:
        waiting = [each for each in among if each.is_waiting]
        if not waiting:
            return False
        given_up = min(
            waiting, key=lambda each: (-self._of[each.address], each.has_answered, each.since)
        )
        self.remove(given_up)
        self.count(Reason.EVICTED, given_up.address)
        given_up.drop(Reason.EVICTED)
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        if connection not in self._open:
            return
        self._open.remove(connection)
        self._of[connection.address] -= 1
        if not self._of[connection.address]:
            del self._of[connection.address]

    def check(self, now: float) -> None:
        """Close connections whose clients are too slow; to be called about once a second."""
        for each in list(self._open):
            reason = each.overdue(now)
            if reason is not None:
                self.count(reason, each.address)
                each.drop(reason)
        if self._unreported and now - self._last_line >= _BETWEEN_LINES:
            fields = {
                **self._unreported,
                "last_address": self._last_address,
                "open": len(self._open),
            }
            _log.warning("connections were closed", extra=fields)
            self._unreported.clear()
            self._last_line = now

    def count(self, reason: Reason, address: str) -> None:
        """Count a connection that was closed or refused, for the figures and the next log line."""
        self.closed[reason.value] += 1
        if reason is not Reason.IDLE:
            self._unreported[reason.value] += 1
            self._last_address = address


def proxies(written: str) -> Callable[[str], bool]:
    """Return what tells whether an address is that of a trusted proxy, as ``--proxy`` names them.

    Names and networks are written with commas between them; ``*`` stands for all.
    """
    words = [word.strip() for word in written.split(",") if word.strip()]
    networks = []
    for word in words:
        try:
            networks.append(ipaddress.ip_network(word, strict=False))
        except ValueError:
            continue  # a name or a path, which is compared as it is

    def is_proxy(address: str) -> bool:
        if "*" in words or address in words:
            return True
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in networks)

    return is_proxy


def with_descriptors(limits: ConnectionLimits) -> int:
    """Return how many connections this process can have, at most those that are allowed.

    The limit of open files is raised as far as the system lets it. A process that runs out of
    descriptors can neither open its database nor tell anybody.
    """
    wanted = limits.most + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return limits.most
    raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):
        raised = soft
    room = max(raised - _OTHER_FILES, raised // 2)
    if room < limits.most:
        _log.warning(
            "fewer connections than configured: the system allows too few open files",
            extra={"connections": room, "configured": limits.most, "open_files": raised},
        )
    return min(room, limits.most)
