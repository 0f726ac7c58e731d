"""Which addresses may be reached on behalf of users other than the operator."""

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

# Addresses of IPv4 for gateways (NAT64), and as they were once written.
_HOLDING_IPV4: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
# Gateways of a site of its own; the library takes them for public.
_LOCAL_GATEWAYS: Final = IPv6Network("64:ff9b:1::/48")


class Reach:
    """The public network, and what the operator allows besides. Immutable."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """Raises ValueError for what is not a network."""
        self._allowed: list[IPv4Network | IPv6Network] = [
            ip_network(text, strict=False) for text in allowed
        ]

    def allows(self, address: str) -> bool:
        """Return whether this address may be connected to."""
        found = _unwrapped(address)
        if found is None:
            return False
        return is_public(address) or any(
            found in network for network in self._allowed if network.version == found.version
        )


def is_public(address: str) -> bool:
    """Return whether an address belongs to the public network.

    Loopback, link-local, private, shared and reserved ones do not, in whatever form of IPv6.
    """
    found = _unwrapped(address)
    if found is None or (found.version == 6 and found in _LOCAL_GATEWAYS):
        return False
    return found.is_global and not found.is_multicast


def _unwrapped(address: str) -> IPv4Address | IPv6Address | None:
    """Return the address; one of IPv4 that is written as one of IPv6 is itself again."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address):
        if int(found) > 1 and any(found in network for network in _HOLDING_IPV4):
            return IPv4Address(int(found) & 0xFFFFFFFF)
        return found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1] or found
    return found
