"""Doing what a signal asks for: after it has been kept, outside of any transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.authority import actor_of
from hotplate.engine.context import Tools
from hotplate.engine.live_values import present_resource
from hotplate.engine.requests.signals import BadRequest, addressed, note
from hotplate.engine.signal_data import put
from hotplate.engine.store import Store
from hotplate.engine.world import ServiceMissing
from hotplate.identity import AuthorityLost
from hotplate.model import Stack, Version
from hotplate.resources.capabilities import ActsOnSignals
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import BadSignal, ResourceFailed
from hotplate.store.stacks import lock_stack, read_stacks
from hotplate.store.versions import read_versions, save_versions, versions_named


async def answer(
    store: Store,
    tools: Tools,
    stack_id: str,
    name: str,
    details: Mapping[str, Any],
    creation_token: str = "",
) -> None:
    """Let the type of a resource that was signalled do something about it. Raises BadRequest.

    Most types do nothing: they wait for signals, or others wait for theirs.
    """

    def find(connection: Connection) -> tuple[Stack | None, Version | None]:
        versions = versions_named(connection, stack_id, [name])
        stack = read_stacks(connection, [stack_id]).get(stack_id)
        return stack, addressed(versions, name, creation_token)

    stack, version = await store.read(find)
    if stack is None or version is None:
        return
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    if not isinstance(resource_type, ActsOnSignals):
        return
    world = tools.world.acting_for(actor_of(stack))
    resource = present_resource(world, stack, version, resource_type)
    try:
        added = await resource_type.signalled(resource, details, tools.world.uuid())
    except (BadSignal, ResourceFailed, ServiceMissing, AuthorityLost) as error:
        raise BadRequest(str(error)) from None

    def record(connection: Connection) -> None:
        lock_stack(connection, stack_id)
        found = read_versions(connection, [version.id]).get(version.id)
        if found is not None:
            _add(connection, found, resource_type, added)
            note(connection, tools, found, "", details)

    await store.transact(record)


def _add(
    connection: Connection,
    version: Version,
    resource_type: ActsOnSignals,
    added: Mapping[str, Sequence[Any]],
) -> None:
    """Add to what a resource keeps of its signals; whatever else goes on with it stays.

    Whoever writes versions has locked their stack, and so does this. A worker that has the version
    in hand read it earlier: it gets what was added meanwhile (`add_signalled`).
    """
    for name, items in added.items():
        grown = [*version.data.get(name, ()), *items][-resource_type.growing[name] :]
        put(version, resource_type.attributes, name, grown)
    save_versions(connection, [version])
