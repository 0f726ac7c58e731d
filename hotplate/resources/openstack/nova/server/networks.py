"""What a server's property networks says, and which interfaces fit it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Allocation(Enum):
    """How a server comes by its interfaces."""

    LISTED = "listed"
    AUTO = "auto"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """One interface that the template asks for; names are ids already."""

    index: int
    network: str = ""
    subnet: str = ""
    port: str = ""
    fixed_ip: str = ""
    floating_ip: str = ""
    tag: str = ""
    extra: Mapping[str, Any] | None = None

    @property
    def needs_own_port(self) -> bool:
        """Whether we make its port: Nova's own would not have what is asked for."""
        return not self.port and (bool(self.subnet) or self.extra is not None)

    def is_like(self, other: "Entry") -> bool:
        """Tell whether both ask for the same interface, wherever they stand."""
        return (
            (self.network, self.subnet, self.port, self.fixed_ip, self.tag, self.extra)
            == (other.network, other.subnet, other.port, other.fixed_ip, other.tag, other.extra)
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface that a server has."""

    port: str
    network: str
    subnets: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    mac: str = ""
    tag: str = ""
    is_own: bool = False
    """Its port was made by us for the server."""

    @classmethod
    def reported(cls, found: Mapping[str, Any], own: Iterable[str] = ()) -> "Interface":
        """Return an interface by what Nova says of it; ``own`` are the ids of ports we made."""
        fixed: Sequence[Mapping[str, str]] = found.get("fixed_ips") or ()
        return cls(
            found["port_id"],
            found["net_id"],
            frozenset(each["subnet_id"] for each in fixed),
            frozenset(each["ip_address"] for each in fixed),
            found.get("mac_addr") or "",
            found.get("tag") or "",
            found["port_id"] in set(own),
        )

    def fits(self, entry: Entry) -> bool:
        """Tell whether it is what an entry asks for."""
        if entry.tag != self.tag:
            return False
        if entry.port:
            return entry.port == self.port
        mac = (entry.extra or {}).get("mac_address")
        return (
            (not entry.network or entry.network == self.network)
            and (not entry.subnet or entry.subnet in self.subnets)
            and (not entry.fixed_ip or entry.fixed_ip in self.addresses)
            and (not mac or mac.lower() == self.mac.lower())
            and (self.is_own or not entry.needs_own_port)
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """How the interfaces of a server become those that are wanted."""

    kept: tuple[tuple[Entry, Interface], ...]
    surplus: tuple[Interface, ...]
    missing: tuple[Entry, ...]


def allocation(properties: Mapping[str, Any]) -> Allocation:
    """Return how a server with these properties comes by its interfaces."""
    given = properties.get("networks")
    if not given:
        return Allocation.AUTO
    words = [each["allocate_network"] for each in given if each.get("allocate_network")]
    return Allocation(words[0]) if words else Allocation.LISTED


def entries(properties: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Return the interfaces that are asked for one by one."""
    if allocation(properties) is not Allocation.LISTED:
        return ()
    keys = ("network", "subnet", "port", "fixed_ip", "floating_ip", "tag")
    return tuple(
        Entry(
            index,
            **{key: each.get(key) or "" for key in keys},
            extra=each.get("port_extra_properties"),
        )
        for index, each in enumerate(properties["networks"])
    )


def changes(
    old: Sequence[Entry] | None, new: Sequence[Entry], live: Sequence[Interface]
) -> Changes:
    """Return what is to be attached and detached; ``old`` is None if Nova chose before.

    Of what no new entry fits only that goes which an old entry asked for: others may have attached
    more. An old entry whose interface is detached already may fit one of those, so who has begun to
    detach asks without old entries: what a server has stays then, and the rest is attached.
    """
    left = list(live)
    was = _given(old or (), live)
    kept: list[tuple[Entry, Interface]] = []
    named = {each.port for each in (*(old or ()), *new) if each.port}
    for entry in sorted(new, key=_precision):
        fitting = [
            each for each in left if each.fits(entry) and (entry.port or each.port not in named)
        ]
        if fitting:
            nearest = min(fitting, key=lambda each: _distance(entry, was.get(each.port)))
            kept.append((entry, nearest))
            left.remove(nearest)
    found = {entry.index for entry, _ in kept}
    missing = tuple(entry for entry in new if entry.index not in found)
    if old is None:
        return Changes(tuple(kept), tuple(left), missing)
    surplus: list[Interface] = []
    staying = [entry for entry, _ in kept]
    for entry in sorted(old, key=_precision):
        same = next((each for each in staying if each.is_like(entry)), None)
        if same is not None:
            staying.remove(same)
            continue
        gone = next((each for each in left if each.fits(entry)), None)
        if gone is not None:
            surplus.append(gone)
            left.remove(gone)
    return Changes(tuple(kept), tuple(surplus), missing)


def unlisted(new: Sequence[Entry], live: Sequence[Interface]) -> list[dict[str, str]]:
    """Return the interfaces that no entry asks for, as entries that would."""
    kept = {interface.port for _, interface in changes(new, new, live).kept}
    return [
        {key: value for key, value in _as_property(each).items() if value}
        for each in sorted(live, key=lambda each: each.port)
        if each.port not in kept
    ]


def _as_property(interface: Interface) -> dict[str, str]:
    if not interface.addresses:
        return {"port": interface.port, "tag": interface.tag}
    address = min(interface.addresses)
    return {"network": interface.network, "fixed_ip": address, "tag": interface.tag}


def _given(old: Sequence[Entry], live: Sequence[Interface]) -> dict[str, Entry]:
    """Return for which entry each port was attached, as far as that can be seen."""
    found: dict[str, Entry] = {}
    for entry in sorted(old, key=_precision):
        for each in live:
            if each.port not in found and each.fits(entry):
                found[each.port] = entry
                break
    return found


def _distance(entry: Entry, was: Entry | None) -> int:
    """Return how far an entry is from the one that an interface was attached for.

    Services list interfaces in any order. What stays must not depend on it.
    """
    if was is None:
        return 2**8
    return 0 if was.is_like(entry) else 1 + abs(_precision(entry) - _precision(was))


def _precision(entry: Entry) -> int:
    """Entries that say more choose first."""
    said = (entry.port, entry.fixed_ip, entry.extra is not None, entry.subnet)
    return -sum(2 ** (len(said) - place) for place, each in enumerate(said) if each)
