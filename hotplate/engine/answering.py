"""Doing what a signal asks for: after it has been kept, outside of any transaction."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.nested import kind_for
from hotplate.engine.signalling import BadRequest, addressed
from hotplate.engine.store import Store
from hotplate.engine.traversal import Tools
from hotplate.engine.world import ServiceMissing
from hotplate.model import Stack, Version
from hotplate.resources.resource_type import (
    BadSignal,
    Done,
    Resource,
    ResourceFailed,
    ResourceType,
)
from hotplate.store.signals import lock_version
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions, save_versions, versions_named


async def answer(
    store: Store, tools: Tools, stack_id: str, name: str, details: Mapping[str, Any], mark: str = ""
) -> None:
    """Let the type of a resource that was signalled do something about it. Raises BadRequest.

    Most types do nothing: they listen, or somebody listens to them.
    """

    def find(connection: Connection) -> tuple[Stack | None, Version | None]:
        versions = versions_named(connection, stack_id, [name])
        stack = read_stacks(connection, [stack_id]).get(stack_id)
        return stack, addressed(versions, name, mark)

    stack, version = await store.read(find)
    if stack is None or version is None:
        return
    kind = kind_for(tools.catalogue, version.definition.get("kind", version.type))
    if type(kind).signalled is ResourceType.signalled:
        return
    resource = Resource(
        stack_name=stack.name,
        stack_id=stack.id,
        project=stack.project,
        name=version.name,
        mark=version.uuid,
        physical_id=version.physical_id,
        properties=kind.convert(version.definition.get("properties", {})),
        data=dict(version.data),
        world=tools.world,
    )
    try:
        done = await kind.signalled(resource, details, tools.world.uuid())
    except (BadSignal, ResourceFailed, ServiceMissing) as error:
        raise BadRequest(str(error)) from None
    await store.transact(partial(_keep, version_id=version.id, done=done))


def _keep(connection: Connection, version_id: int, done: Done) -> None:
    """Note what a signal has changed of a resource; whatever else goes on with it stays."""
    lock_version(connection, version_id)
    version = read_versions(connection, [version_id]).get(version_id)
    if version is None:
        return
    version.attributes = {**version.attributes, **(done.attributes or {})}
    version.data = {**version.data, **(done.data or {})}
    save_versions(connection, [version])
