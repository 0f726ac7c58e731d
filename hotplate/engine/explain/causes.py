"""Why a resource is as it is: the chain of causes, back to the file and line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.current_versions import named, old_versions
from hotplate.engine.explain.failures import failures
from hotplate.engine.preview.origins import Source, SourceKind, Tracer
from hotplate.engine.preview.present_state import nested_stacks_of
from hotplate.engine.recipes.book import Bound
from hotplate.engine.refusals import Entity, NotFound
from hotplate.model import Action, Node, NodeState, ReasonCode, Stack, Status, Task, Version
from hotplate.resources.heat.provider_template import is_template_file
from hotplate.store.nodes import nodes_of
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions, versions_of

_MOST = 20
"""Causes of one kind that are listed one by one."""

_SHORTEST = 3
"""A shorter value turns up in a reason by accident."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One link of the chain. ``level`` is how deep it is below what was asked about.

    ``path`` are the names that lead to the resource it speaks of, from the stack that was asked.
    """

    level: int
    text: str
    path: tuple[str, ...]
    source: Source | None = None


def explain(connection: Connection, tools: Tools, stack: Stack, name: str) -> list[Cause]:
    """Return the chain of causes of a resource. Raises NotFound."""
    versions = versions_of(connection, stack.id)
    version = named(versions, name)
    if version is None:
        raise NotFound(Entity.RESOURCE, name, stack.name)
    explaining = _Explaining(connection, tools, stack, versions)
    return [*explaining.of(version), *explaining.older(version)]


class _Explaining:
    def __init__(
        self, connection: Connection, tools: Tools, stack: Stack, versions: Sequence[Version]
    ) -> None:
        self._connection = connection
        self._tools = tools
        self._stack = stack
        self._versions = {version.id: version for version in versions}
        self._old = {version.id for version in old_versions(versions)}
        self._nodes = {
            node.id: node
            for node in nodes_of(connection, stack.id)
            if not node.is_coordinator and node.version_id in self._versions
        }

    def of(self, version: Version) -> Iterator[Cause]:
        path = (version.name,)
        tracer = self._tracer(self._stack)
        written = self._written(tracer, self._stack, version.name)
        state = f"{version.name} is {_state(version)}"
        if version.action is Action.INIT:
            state = f"{version.name} has not been made yet"
        yield Cause(0, state, path, written)
        if version.status is Status.FAILED:
            yield from self._failed(version, tracer)
            return
        node = self._node_of(version)
        if node is not None and self._stack.status is Status.IN_PROGRESS:
            yield from self._waiting(node, 1, set())
        elif version.action is Action.INIT:
            yield from self._never_begun()
        elif version.status is Status.IN_PROGRESS:
            yield from self._going_on(version)
        else:
            yield from self._settled(version, tracer)

    def older(self, version: Version) -> Iterator[Cause]:
        """Tell of the old versions of a resource that are still there."""
        path = (version.name,)
        for old in old_versions(self._versions.values(), version.name):
            yield Cause(1, f"{_old(old, 'it')} is {_state(old)}", path)
            node = self._node_of(old)
            if old.status is Status.FAILED:
                yield from self._root_causes(old, 2)
            elif node is not None and self._stack.status is Status.IN_PROGRESS:
                yield from self._waiting(node, 2, set())
            else:
                yield Cause(2, "it goes when an update of the stack succeeds", path)

    def _settled(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        """Tell what a resource is made from that nothing is wrong with."""
        path = (version.name,)
        if version.reason not in ("", status_texts.STATE_CHANGED):
            yield Cause(1, version.reason, path)
        since = f"it is so since {_time(version.updated_at or version.created_at)}"
        if self._stack.status is Status.IN_PROGRESS:
            yield Cause(1, f"its stack is {_state(self._stack)}; {since}", ())
            yield from self._at_work(2, ())
        elif any(self._versions[each].name == version.name for each in self._old):
            yield Cause(1, since, path)  # what is the matter with the old ones follows
        else:
            yield Cause(1, f"nothing waits, and nothing failed; {since}", path)
        if version.name not in self._bound(self._stack).template.template.resources:
            return
        for name in list(version.definition.properties)[:_MOST]:
            for source in tracer.of_property(version.name, name):
                if source.kind is not SourceKind.TEMPLATE:
                    yield Cause(2, f"the property {name} {_source_text(source)}", path, source)

    def _failed(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        causes = list(self._root_causes(version, 1))
        yield from causes
        if version.reason_code is ReasonCode.ABORTED:
            yield from self._never_begun()
        elif len(causes) == 1:
            yield from self._blamed(version, tracer)

    def _root_causes(self, version: Version, level: int) -> Iterator[Cause]:
        """Tell what failed at the bottom of a version: itself, or what is in it."""
        path = (version.name,)
        children = nested_stacks_of(self._connection, version)
        found = [failure for child in children for failure in failures(self._connection, child)]
        if not found:
            yield Cause(level, version.reason, path)
        for failure in found[:_MOST]:
            stack = read_stacks(self._connection, [failure.stack_id])[failure.stack_id]
            place = self._written(self._tracer(stack), stack, failure.path[-1])
            text = f"{'/'.join((*path, *failure.path))} failed in {failure.action}"
            yield Cause(level, text, (*path, *failure.path), place)
            yield Cause(level + 1, failure.reason, (*path, *failure.path))

    def _blamed(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        """Tell where the properties come from that the reason speaks of."""
        for name, value in version.definition.properties.items():
            text = str(value) if isinstance(value, str | int | float) else ""
            is_mentioned = name in version.reason or (
                len(text) >= _SHORTEST and text in version.reason
            )
            if (
                is_mentioned
                and version.name in self._bound(self._stack).template.template.resources
            ):
                for source in tracer.of_property(version.name, name):
                    yield Cause(
                        2, f"the property {name} {_source_text(source)}", (version.name,), source
                    )

    def _never_begun(self) -> Iterator[Cause]:
        yield Cause(1, f"its stack is {_state(self._stack)}", ())
        for failure in failures(self._connection, self._stack)[:_MOST]:
            if failure.is_stopped:
                continue
            text = f"{'/'.join(failure.path)} failed: {failure.reason}"
            yield Cause(2, text, failure.path)

    def _going_on(self, version: Version) -> Iterator[Cause]:
        """Tell of work that was in hand when its stack ended, or was overtaken."""
        nodes = [
            node
            for node in self._nodes.values()
            if node.version_id == version.id and node.state is not NodeState.DONE
        ]
        for node in nodes[:1]:
            yield from self._under_way(node, 1)
        yield from self._never_begun()

    def _node_of(self, version: Version) -> Node | None:
        """Return what is still to be done to a version in the traversal that is going on."""
        open_nodes = [
            node
            for node in self._nodes.values()
            if node.version_id == version.id and self._is_open(node)
        ]
        return (
            min(open_nodes, key=lambda node: (node.state is NodeState.WAITING, node.id))
            if (open_nodes)
            else None
        )

    def _is_open(self, node: Node) -> bool:
        """Tell whether a node has something to do: cleaning up leaves alone what is wanted."""
        if node.state is NodeState.DONE or node.sequence != self._stack.sequence:
            return False
        version = self._versions.get(node.version_id)
        is_wanted = version is not None and version.owner == node.sequence
        return not (node.task is Task.CLEANUP and is_wanted)

    def _waiting(self, node: Node, level: int, listed: set[int]) -> Iterator[Cause]:
        """Tell what a node waits for, and what that waits for."""
        if node.state is not NodeState.WAITING:
            yield from self._under_way(node, level)
            return
        for other in self._nodes.values():
            before = node.id in (*other.successors, *other.releases)
            before = before and other.state is not NodeState.DONE
            if not before or other.id in listed or len(listed) >= _MOST:
                continue
            listed.add(other.id)
            if not self._is_open(other):  # it does nothing but wait for others
                yield from self._waiting(other, level, listed)
                continue
            yield Cause(level, f"it waits for {self._called(other)}", (other.name,))
            yield from self._waiting(other, level + 1, listed)

    def _called(self, node: Node) -> str:
        """Return how others speak of what a node does."""
        version = self._versions.get(node.version_id)
        if version is not None and version.id in self._old:
            return _old(version, version.name)
        if node.task is Task.CLEANUP and self._stack.action is not Action.DELETE:
            return f"{node.name} to be removed"
        return node.name

    def _at_work(self, level: int, above: tuple[str, ...]) -> Iterator[Cause]:
        """Tell what is going on in the stack at this moment."""
        nodes = [
            node
            for node in self._nodes.values()
            if self._is_open(node) and node.state is not NodeState.WAITING
        ]
        for node in nodes[:_MOST]:
            version = self._versions.get(node.version_id)
            if version is None:
                continue
            path = (*above, version.name)
            called = _old(version, version.name) if version.id in self._old else version.name
            yield Cause(level, f"{called} is {_state(version)}", path)
            if node.is_paused or version.reason not in ("", status_texts.STATE_CHANGED):
                yield from self._under_way(node, level + 1, above)
            elif children := nested_stacks_of(self._connection, version):
                yield from self._inside(children, level + 1, path)

    def _inside(
        self, children: Iterable[Stack], level: int, path: tuple[str, ...]
    ) -> Iterator[Cause]:
        for child in children:
            versions = versions_of(self._connection, child.id)
            yield from _Explaining(self._connection, self._tools, child, versions)._at_work(
                level, path
            )

    def _under_way(self, node: Node, level: int, above: tuple[str, ...] = ()) -> Iterator[Cause]:
        version = self._versions[node.version_id]
        path, doing = (*above, version.name), _state(version)
        if node.is_paused:
            yield Cause(level, f"it waits until its hook {node.hook} is cleared", path)
        elif node.state is NodeState.DRAFT:
            yield Cause(level, "it waits until all that is to be done is written down", path)
        elif node.state is NodeState.READY:
            yield Cause(level, "it is ready, and waits for a worker", path)
        elif children := nested_stacks_of(self._connection, version):
            yield Cause(level, f"it is {doing}: the stack inside it is at work", path)
            yield from self._inside(children, level + 1, path)
        elif version.reason not in ("", status_texts.STATE_CHANGED):
            yield Cause(level, f"it is {doing}: {version.reason}", path)
        elif node.state is NodeState.PARKED and node.due is None:
            yield Cause(level, f"it is {doing}, and waits for a signal", path)
        else:
            yield Cause(level, f"it is {doing}", path)

    def _bound(self, stack: Stack) -> Bound:
        return self._tools.book.bound(self._connection, stack, stack.recipe)

    def _written(self, tracer: Tracer, stack: Stack, name: str) -> Source | None:
        is_known = name in self._bound(stack).template.template.resources
        return tracer.definition(name) if is_known else None

    def _tracer(self, stack: Stack) -> Tracer:
        bound = self._bound(stack)
        if stack.parent_id is None or stack.parent_version is None:
            return Tracer(bound)
        parents = read_stacks(self._connection, [stack.parent_id])
        owners = read_versions(self._connection, [stack.parent_version])
        if not parents or not owners:
            return Tracer(bound)
        owner = owners[stack.parent_version]
        type_name = owner.type_name
        outer = self._tracer(parents[stack.parent_id])
        return outer.nested(bound, owner.name, type_name, is_template_file(type_name))


def _state(it: Stack | Version) -> str:
    return f"{it.action.value}_{it.status.value}"


def _old(version: Version, name: str) -> str:
    """Return how to speak of an old version."""
    object_id = f", {version.physical_id}," if version.physical_id else ""
    return f"an old version of {name}{object_id}"


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _source_text(source: Source) -> str:
    """Return in words what stands at a place."""
    return {
        SourceKind.TEMPLATE: "is written here",
        SourceKind.PARAMETER: f"is the parameter {source.name} of the request",
        SourceKind.ENVIRONMENT: f"is the parameter {source.name}, given here",
        SourceKind.DEFAULT: f"is the default of the parameter {source.name}",
        SourceKind.RESOURCE: f"comes from the resource {source.name}",
        SourceKind.FILE: f"is the file {source.name}",
    }[source.kind]
