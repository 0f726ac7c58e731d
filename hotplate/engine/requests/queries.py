"""What can be asked about stacks without changing any of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, TooHeavy, light
from hotplate.engine.context import Tools
from hotplate.engine.current_versions import shown
from hotplate.engine.lookup import current_stack, kept_snapshot
from hotplate.engine.published_values import published_by
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, fetch
from hotplate.engine.recipes.hidden_parameters import known_secrets
from hotplate.engine.refusals import Entity, NotFound
from hotplate.engine.requests.stack_list import StackList
from hotplate.engine.store import Store
from hotplate.model import Event, Snapshot, Stack, Version
from hotplate.secret import plain
from hotplate.store.events import events_of
from hotplate.store.snapshots import snapshots_of
from hotplate.store.stack_listing import Wanted
from hotplate.store.stacks import find_stack, read_stacks, stacks_of_project
from hotplate.store.versions import versions_named, versions_of
from hotplate.template import AttributePath, ResolveError, ResourceData

if TYPE_CHECKING:
    from hotplate.engine.explain.differences import Differing
    from hotplate.engine.explain.failures import Failure
    from hotplate.engine.live_values import FreshAttributes


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is shown as the metadata of a resource; of a server also the id it is deployed to."""

    shown: dict[str, Any]
    server_id: str | None = None


T = TypeVar("T")
Asked = Mapping[str, frozenset[AttributePath]]
"""Which attributes are asked of which resources; an empty path stands for all of one."""


@dataclass(frozen=True, slots=True)
class OutputValue:
    """The value of an output, an exception if it has none; a ``note`` if some of it may be old."""

    value: Any
    note: str = ""


class Queries(StackList):
    """Answers questions. Safe to call from any number of tasks."""

    def __init__(self, store: Store, tools: Tools) -> None:
        super().__init__(store)
        self._tools = tools

    async def stack(self, stack_id: str) -> Stack:
        """Return a stack, deleted ones included. Raises NotFound."""
        found = await self._store.read_soon(partial(read_stacks, ids=[stack_id]))
        if stack_id not in found:
            raise NotFound(Entity.STACK, stack_id)
        return found[stack_id]

    async def timeout(self, stack: Stack) -> int | None:
        """Return how many minutes an action may take: what the stack says, or one around it."""
        while stack.timeout is None and stack.parent_id is not None:
            stack = await self.stack(stack.parent_id)
        return stack.timeout

    async def find(self, project: str, name: str) -> Stack:
        """Return the stack of that name. Raises NotFound."""
        found = await self._store.read_soon(partial(find_stack, project=project, name=name))
        if found is None:
            raise NotFound(Entity.STACK, name)
        return found

    async def stacks(self, project: str) -> list[Stack]:
        """Return the stacks of a project."""
        return await self._store.read(partial(stacks_of_project, project=project))

    async def resources(self, stack_id: str) -> dict[str, Version]:
        """Return one version of each resource, by name."""
        versions = await self._store.read(partial(versions_of, stack_id=stack_id))
        return shown(versions)

    async def events(self, stack_id: str, after: int = 0) -> list[Event]:
        """Return the events of a stack, oldest first."""
        return await self._store.read(partial(events_of, stack_id=stack_id, after=after))

    async def outputs(self, stack_id: str, typed: bool = False) -> dict[str, Any]:
        """Return the values of the outputs; one that cannot be computed is an exception.

        ``typed``: what is secret in them is typed so.
        """

        def read(connection: Connection) -> tuple[Stack, Bound, list[Version]]:
            stack = current_stack(connection, stack_id)
            bound = self._tools.book.bound(connection, stack, stack.recipe)
            wanted = bound.template.output_targets()
            return stack, bound, versions_named(connection, stack_id, wanted)

        stack, bound, versions = await self._store.read(read)
        offered = _offered(await self._refreshed(stack, versions))
        values = await self._output_values(stack, bound, None, offered)
        return values if typed else plain(values)

    async def _output_values(
        self, stack: Stack, bound: Bound, name: str | None, offered: Mapping[str, ResourceData]
    ) -> dict[str, Any]:
        """Return the value of one output, or of all; the exception if there is none."""
        try:
            with light():
                return _output_values(bound, name, offered)
        except TooHeavy:
            args = (stack, bound.digest, name, offered)
            return await self._tools.evaluate(
                Evaluation(stack.project, _evaluated_outputs, args, reads=True)
            )

    async def bound(self, stack: Stack) -> Bound:
        """Return what a stack is made of, with all values in place."""
        bound = self._tools.book.known(stack.id, stack.recipe)
        if bound is None:
            bound = await self._store.read(
                lambda connection: self._tools.book.bound(connection, stack, stack.recipe)
            )
        return await known_secrets(self._tools, stack.project, bound)

    async def evaluated(self, stack: Stack, function: Callable[..., T], *args: Any) -> T:
        """Return what a function of a module makes of what a stack and its root are made of.

        It is called with both bound recipes, where it keeps nobody waiting: only what it returns
        comes back.
        """
        given = (stack, function, args)
        return await self._tools.evaluate(
            Evaluation(stack.project, _evaluated_of, given, reads=True)
        )

    async def _refreshed(self, stack: Stack, versions: list[Version]) -> list[Version]:
        """Return versions with what external objects offer at this moment."""
        if not any(version.is_external for version in versions):
            return versions
        from hotplate.engine.external_objects import refreshed  # noqa: PLC0415 (needs the resource types)

        return await refreshed(self._tools, stack, versions)

    async def failures(self, stack: Stack) -> "list[Failure]":
        """Return everything that failed in a stack and its nested stacks, with the way to it."""
        from hotplate.engine.explain.failures import failures  # noqa: PLC0415 (needs the resource types)

        return await self._store.read(partial(failures, stack=stack))

    async def differing(self, stack: Stack) -> "list[Differing]":
        """Return what the last check found to differ in a stack and its nested stacks."""
        from hotplate.engine.explain.differences import differing  # noqa: PLC0415 (needs the resource types)

        return await self._store.read(partial(differing, stack=stack))

    async def count(self, project: str) -> int:
        """Return how many stacks a project has, nested ones not counted."""
        return await self.count_stacks(Wanted(project))

    async def resource(self, stack: Stack, name: str) -> Version:
        """Return the version that stands for a resource. Raises NotFound."""
        versions = await self._store.read(partial(versions_named, stack_id=stack.id, names=[name]))
        found = shown(versions).get(name)
        if found is None:
            raise NotFound(Entity.RESOURCE, name, stack.name)
        return found

    async def live_attributes(self, stack: Stack, name: str) -> "FreshAttributes":
        """Return what a resource offers at this moment, as far as that changes by itself."""
        version = await self.resource(stack, name)
        from hotplate.engine.live_values import FreshAttributes, fresh_attributes  # noqa: PLC0415 (needs the resource types)

        if version.is_nested_stack:
            from hotplate.engine.nested_stacks import attributes_of_all  # noqa: PLC0415 (needs the resource types)

            book, catalogue = self._tools.book, self._tools.catalogue
            read = partial(attributes_of_all, book=book, catalogue=catalogue, version=version)
            if values := await self._store.read(read):
                return FreshAttributes(values)
        if not version.is_external:
            return await fresh_attributes(self._tools, stack, version)
        (found,) = await self._refreshed(stack, [version])
        return FreshAttributes(found.attributes)

    async def output(self, stack_id: str, name: str, typed: bool = False) -> OutputValue:
        """Return the value of one output, with what resources offer at this moment.

        ``typed``: what is secret in it is typed so.
        """

        def read(connection: Connection) -> tuple[Stack, Bound, Asked, list[Version]]:
            stack = current_stack(connection, stack_id)
            bound = self._tools.book.bound(connection, stack, stack.recipe)
            wanted = bound.template.output_targets(name)
            asked = bound.template.attributes_of_output(name)
            return stack, bound, asked, versions_named(connection, stack_id, wanted)

        stack, bound, asked, versions = await self._store.read(read)
        from hotplate.engine.live_values import with_fresh_attributes  # noqa: PLC0415 (needs the resource types)

        versions = await self._refreshed(stack, versions)
        versions, notes = await with_fresh_attributes(self._tools, stack, versions, asked)
        values = await self._output_values(stack, bound, name, _offered(versions))
        value = values.get(name)
        return OutputValue(value if typed else plain(value), "; ".join(notes))

    async def created_with(self, stack: Stack, name: str, creation_token: str) -> Version:
        """Return the version of a resource that has this creation token. Raises NotFound."""
        versions = await self._store.read(partial(versions_named, stack_id=stack.id, names=[name]))
        found = next((each for each in versions if each.uuid == creation_token), None)
        if found is None:
            raise NotFound(Entity.RESOURCE, name, stack.name)
        return found

    async def extensions(self, service: str) -> frozenset[str] | None:
        """Return the extensions that a service of the caller's cloud has; None if it does not tell.

        What it told within the last hour is not asked again.
        """
        from hotplate.engine.requests.extensions import extensions_of  # noqa: PLC0415 (only with a cloud)

        return await extensions_of(self._tools, service)

    async def metadata(self, stack: Stack, name: str) -> Metadata:
        """Return the metadata of a resource. Raises NotFound."""
        version = await self.resource(stack, name)
        from hotplate.resources.capabilities import HostsSoftware, Scalable, TakesSignals  # noqa: PLC0415 (needs the resource types)
        from hotplate.resources.heat.provider_template import resource_type_for  # noqa: PLC0415 (needs the resource types)

        resource_type = resource_type_for(self._tools.catalogue, version.type_name)
        written = await self._store.read(
            partial(self._written_metadata, stack=stack, version=version)
        )
        shown = dict(written)
        if isinstance(resource_type, TakesSignals):
            received = await self._store.read(partial(self._tools.signals.read, of=version))
            shown = resource_type.shown_metadata(written, received.bodies)
        if isinstance(resource_type, Scalable):
            shown |= resource_type.kept_metadata(version.data)
        if not isinstance(resource_type, HostsSoftware) or not resource_type.hosts_software(
            version.definition.properties
        ):
            return Metadata(shown)
        collecting = version.attributes.get("os_collect_config")
        return Metadata({**shown, "os-collect-config": collecting or {}}, version.physical_id)

    def _written_metadata(
        self, connection: Connection, stack: Stack, version: Version
    ) -> dict[str, Any]:
        """Return what the template says of the metadata, with what others offer at this moment.

        A group may have changed its size since the resource was made.
        """
        applied: dict[str, Any] = version.definition.metadata
        if not applied:
            return {}
        bound = self._tools.book.bound(connection, stack, version.recipe)
        definition = bound.template.resources.get(version.name)
        if definition is None or not definition.static_references:
            return applied
        others = versions_named(connection, stack.id, bound.template.graph.requires(version.name))
        try:
            return bound.template.metadata(version.name, _offered(others))
        except ResolveError:
            return applied

    async def snapshots(self, stack_id: str) -> list[Snapshot]:
        """Return the snapshots of a stack, oldest first."""
        return await self._store.read(partial(snapshots_of, stack_id=stack_id))

    async def snapshot(self, stack_id: str, snapshot_id: str) -> Snapshot:
        """Return one snapshot of a stack. Raises NotFound."""
        return await self._store.read(
            lambda connection: kept_snapshot(
                connection, current_stack(connection, stack_id), snapshot_id
            )
        )

    async def recipe(self, stack_id: str) -> Recipe:
        """Return what a stack is made of."""
        stack = await self.stack(stack_id)
        return await self._store.read(partial(fetch, project=stack.project, digest=stack.recipe))


def _evaluated_of(
    tools: Tools,
    connection: Connection,
    stack: Stack,
    function: Callable[..., T],
    args: tuple[Any, ...],
) -> T:
    bound = root = tools.book.bound(connection, stack, stack.recipe)
    if stack.parent_id is not None:
        top = read_stacks(connection, [stack.root_id])[stack.root_id]
        root = tools.book.bound(connection, top, top.recipe)
    return function(bound, root, *args)


def _evaluated_outputs(
    tools: Tools,
    connection: Connection,
    stack: Stack,
    digest: str,
    name: str | None,
    data: Mapping[str, ResourceData],
) -> dict[str, Any]:
    return _output_values(tools.book.bound(connection, stack, digest), name, data)


def _output_values(
    bound: Bound, name: str | None, data: Mapping[str, ResourceData]
) -> dict[str, Any]:
    names = bound.template.template.outputs if name is None else (name,)
    return {each: _output_value(bound, each, data) for each in names}


def _output_value(bound: Bound, name: str, data: Mapping[str, ResourceData]) -> Any:
    """Return the value of an output; the exception if it cannot be computed."""
    try:
        return bound.template.output(name, data)
    except ResolveError as error:
        return error


def _offered(versions: Iterable[Version]) -> dict[str, ResourceData]:
    """Return what resources offer to others, by their names."""
    return {name: published_by(version) for name, version in shown(versions).items()}
