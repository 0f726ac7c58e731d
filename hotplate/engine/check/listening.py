"""Listening to signals: what has been told so far, and no word missed while going to sleep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.model import Version
from hotplate.resources.capabilities import ITSELF
from hotplate.store.nodes import wake_version
from hotplate.store.signals import find_handle, lock_handle, signals_of
from hotplate.store.versions import read_versions


@dataclass(frozen=True, slots=True)
class Heard:
    """The signals to the resource with a reference; ``last`` is the number of the newest."""

    reference: str
    signals: tuple[Mapping[str, Any], ...] = ()
    last: int = 0
    source: Mapping[str, Any] | None = None
    """What the type of that resource keeps of it; None if there is no such resource."""

    source_name: str = ""
    """The name of that resource in its stack."""


def hear(connection: Connection, version: Version, reference: str) -> Heard:
    """Return what the resource that a version listens to was told; nothing if there is none."""
    is_own = reference == ITSELF
    handle = version.id if is_own else find_handle(connection, version.root_id, reference)
    if handle is None:
        return Heard(reference)
    found = signals_of(connection, handle)
    source = version if is_own else read_versions(connection, [handle])[handle]
    last = found[-1][0] if found else 0
    return Heard(reference, tuple(body for _, body in found), last, source.data, source.name)


def wake_if_told(connection: Connection, version: Version, heard: Heard) -> list[int]:
    """Wake a node that has just been laid aside if there was a signal since it listened."""
    # Whoever signals a resource, and whoever lays its node aside, has locked its stack.
    is_own = heard.reference == ITSELF
    handle = version.id if is_own else lock_handle(connection, version.root_id, heard.reference)
    found = signals_of(connection, handle) if handle is not None else []
    if not found or found[-1][0] <= heard.last:
        return []
    return wake_version(connection, version.id)
