"""What can be asked about stacks without changing any of them."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.known import attributes_of
from hotplate.engine.recipes import Bound, Recipe, fetch
from hotplate.engine.store import Store
from hotplate.engine.traversal import Tools
from hotplate.model import Action, Event, Stack, Version
from hotplate.store.events import events_of
from hotplate.store.stacks import find_stack, lock_stack, read_stacks, stacks_of_project
from hotplate.store.versions import versions_of
from hotplate.template import ResolveError, ResourceData


class Refused(Exception):
    """The request cannot be carried out as things stand; the text says why and what to do."""


class NotFound(Refused):
    """There is no such stack or resource."""


class AlreadyExists(Refused):
    """The name is taken."""


class Reading:
    """Answers questions. Safe to call from any number of tasks."""

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools

    async def stack(self, stack_id: str) -> Stack:
        """Return a stack, deleted ones included. Raises NotFound."""
        found = await self._store.transact(partial(read_stacks, ids=[stack_id]))
        if stack_id not in found:
            raise NotFound(f"there is no stack {stack_id}")
        return found[stack_id]

    async def find(self, project: str, name: str) -> Stack:
        """Return the stack of that name. Raises NotFound."""
        found = await self._store.transact(partial(find_stack, project=project, name=name))
        if found is None:
            raise NotFound(f"there is no stack {name}")
        return found

    async def stacks(self, project: str) -> list[Stack]:
        """Return the stacks of a project."""
        return await self._store.transact(partial(stacks_of_project, project=project))

    async def resources(self, stack_id: str) -> dict[str, Version]:
        """Return one version of each resource, by name."""
        versions = await self._store.transact(partial(versions_of, stack_id=stack_id))
        return shown(versions)

    async def events(self, stack_id: str, after: int = 0) -> list[Event]:
        """Return the events of a stack, oldest first."""
        return await self._store.transact(partial(events_of, stack_id=stack_id, after=after))

    async def outputs(self, stack_id: str) -> dict[str, Any]:
        """Return the values of the outputs; one that cannot be computed is an exception."""

        def read(connection: Connection) -> tuple[Bound, list[Version]]:
            stack = existing(connection, stack_id)
            bound = self._tools.book.bound(connection, stack, stack.recipe)
            return bound, versions_of(connection, stack_id)

        bound, versions = await self._store.transact(read)
        data = {
            name: ResourceData(
                version.reference or version.physical_id or name, attributes_of(version)
            )
            for name, version in shown(versions).items()
        }
        values: dict[str, Any] = {}
        for name in bound.template.template.outputs:
            try:
                values[name] = bound.template.output(name, data)
            except ResolveError as error:
                values[name] = error
        return values

    async def recipe(self, stack_id: str) -> Recipe:
        """Return what a stack is made of."""
        stack = await self.stack(stack_id)
        return await self._store.transact(partial(fetch, digest=stack.recipe))


def existing(connection: Connection, stack_id: str) -> Stack:
    """Return a stack that has not been deleted, locked. Raises NotFound."""
    stack = lock_stack(connection, stack_id)
    if stack is None or stack.deleted_at is not None:
        raise NotFound(f"there is no stack {stack_id}")
    return stack


def shown(versions: Iterable[Version]) -> dict[str, Version]:
    """Return the version of each name that stands for it: the newest that is not going away."""
    shown: dict[str, Version] = {}
    for version in versions:
        present = shown.get(version.name)
        if present is None or _standing(version) >= _standing(present):
            shown[version.name] = version
    return shown


def _standing(version: Version) -> tuple[bool, int, int]:
    return version.action is not Action.DELETE, version.owner, version.id
