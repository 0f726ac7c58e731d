"""Listening to signals: what was received so far, and none missed while a node is parked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.model import Version
from hotplate.resources.capabilities import ITSELF
from hotplate.store.nodes import wake_version
from hotplate.store.signal_cache import SignalCache
from hotplate.store.signals import (
    find_handle,
    last_signal,
    listen,
    lock_handle,
)
from hotplate.store.versions import read_versions


@dataclass(frozen=True, slots=True)
class ReceivedSignals:
    """The signals to the resource with a reference; ``last`` is the number of the newest."""

    reference: str
    signals: tuple[Mapping[str, Any], ...] = ()
    last: int = 0
    source: Mapping[str, Any] | None = None
    """What the type of that resource keeps of it; None if there is no such resource."""

    source_name: str = ""
    """The name of that resource in its stack."""


def received_signals(
    connection: Connection, cache: SignalCache, version: Version, reference: str
) -> ReceivedSignals:
    """Return the signals to the resource that a version listens to; none if it does not exist."""
    is_own = reference == ITSELF
    handle = version.id if is_own else find_handle(connection, version, reference)
    if handle is None:
        return ReceivedSignals(reference)
    source = version if is_own else read_versions(connection, [handle])[handle]
    found = cache.read(connection, source)
    return ReceivedSignals(reference, tuple(found.bodies), found.last, source.data, source.name)


def note_listener(connection: Connection, version: Version, signals: ReceivedSignals) -> list[int]:
    """Note whose signals a version has listened to that is not parked; nothing becomes ready."""
    if signals.reference != ITSELF:
        listen(connection, version, signals.reference)
    return []


def wake_if_signalled(
    connection: Connection, version: Version, signals: ReceivedSignals
) -> list[int]:
    """Wake a node that has just been parked if there was a signal since it listened."""
    # Whoever signals a resource, and whoever parks its node, has locked its stack.
    is_own = signals.reference == ITSELF
    handle = version.id if is_own else lock_handle(connection, version, signals.reference)
    if not is_own:
        listen(connection, version, signals.reference)
    if handle is None or last_signal(connection, handle) <= signals.last:
        return []
    return wake_version(connection, version.id)
