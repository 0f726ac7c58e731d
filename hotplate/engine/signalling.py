"""Telling a resource something from outside."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.nested import kind_for
from hotplate.engine.reading import existing, shown
from hotplate.engine.refusals import Entity, NotFound, NotSupported, Refused
from hotplate.engine.traversal import Tools
from hotplate.model import Action, Version
from hotplate.resources.resource_type import BadSignal
from hotplate.store.nodes import wake_version
from hotplate.store.signals import insert_signal, lock_version, signals_of, sleeping_with
from hotplate.store.versions import read_versions, versions_of


class BadRequest(Refused):
    """What was sent makes no sense."""


def tell(
    connection: Connection, tools: Tools, stack_id: str, name: str, details: Mapping[str, Any]
) -> list[int]:
    """Keep a signal and wake whoever listens; return the nodes that are ready.

    Raises NotFound, NotSupported, or BadRequest if the type cannot make sense of the details.
    """
    stack = existing(connection, stack_id)
    version = shown(versions_of(connection, stack_id)).get(name)
    if version is None or version.action is Action.INIT:
        raise NotFound(Entity.RESOURCE, name, stack.name)
    kind = kind_for(tools.catalogue, version.definition.get("kind", version.type))
    if not kind.takes_signals:
        raise NotSupported("signal", f"resources of the type {version.type} take none") from None
    if version.action in (Action.DELETE, Action.SUSPEND):
        raise NotSupported(f"Signal resource during {version.action.value}")
    lock_version(connection, version.id)
    earlier = [body for _, body in signals_of(connection, version.id)]
    try:
        kept = kind.received(details, earlier)
    except BadSignal as error:
        raise BadRequest(str(error)) from None
    insert_signal(connection, version.id, stack_id, tools.world.now(), kept)
    return _wake_listeners(connection, tools, version)


def _wake_listeners(connection: Connection, tools: Tools, told: Version) -> list[int]:
    """Wake the parked nodes of the tree whose versions listen to the one that was told."""
    reference = told.reference or told.physical_id or told.name
    woken: list[int] = []
    asleep = sleeping_with(connection, told.root_id, reference)
    for version in read_versions(connection, asleep).values():
        kind = kind_for(tools.catalogue, version.definition.get("kind", version.type))
        properties = kind.convert(version.definition.get("properties", {}))
        if kind.listens_to(properties) == reference:
            woken.extend(wake_version(connection, version.id))
    return woken
