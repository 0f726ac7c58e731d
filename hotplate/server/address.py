"""Where the server listens, and which names are its own."""

import errno
import ipaddress
import socket
from dataclasses import dataclass

from hotplate.server.refusal import CannotStart, nonsense

DEFAULT_PORT = 8004


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 stands for any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def is_wildcard(self) -> bool:
        """Whether it stands for all addresses of this machine."""
        found = _literal(self.host)
        return found is not None and found.is_unspecified


def parse_address(text: str) -> Address:
    """Read ``HOST:PORT``; an IPv6 address stands in brackets. Raises CannotStart."""
    host, colon, port = text.strip().rpartition(":")
    if not colon:
        host, port = text.strip(), str(DEFAULT_PORT)
    is_bracketed = host.startswith("[") and host.endswith("]")
    if is_bracketed:
        host = host[1:-1]
    sensible = port.isascii() and port.isdecimal() and int(port) <= 65535 and host
    if not sensible or (":" in host and not is_bracketed):
        raise nonsense(
            f'"{text}" is not an address to listen on; write HOST:PORT, such as '
            f"127.0.0.1:{DEFAULT_PORT} or [::1]:{DEFAULT_PORT}"
        )
    return Address(host, int(port))


def is_loopback(host: str) -> bool:
    """Return whether a name or an address stands for this machine itself."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    found = _literal(name)
    return found is not None and found.is_loopback


def is_literal(host: str) -> bool:
    """Return whether a host is given as an address and not as a name."""
    return _literal(host) is not None


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def listen(address: Address) -> socket.socket:
    """Return a socket that is bound to the address. Raises CannotStart."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        family, _, _, _, where = found[0]
        bound = socket.create_server(where, family=family, backlog=1024)
    except OSError as error:
        raise CannotStart(f"cannot listen on {address}: {_reason(error)}") from None
    # Connections have it from here; asyncio sets it only on sockets made with the protocol named.
    # Without it the body of an answer waits 40 ms until the client has acknowledged the head.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host; choose another with --listen"
    if error.errno == errno.EADDRINUSE:
        return "the port is taken; stop what listens there, or choose another with --listen"
    if error.errno == errno.EADDRNOTAVAIL:
        return "this machine has no such address; choose another with --listen"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "that is not allowed to this user; choose a port above 1023 with --listen"
    return f"{error.strerror or error}; choose another with --listen"


def bound_address(bound: socket.socket) -> Address:
    """Return the address that a socket got."""
    host, port = bound.getsockname()[:2]
    return Address(str(host), int(port))
