"""Why a resource is as it is: the chain of causes, back to the file and line."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from hotplate.engine import words
from hotplate.engine.failures import failures
from hotplate.engine.origins import Source, SourceKind, Tracer
from hotplate.engine.preview import inside
from hotplate.engine.reading import named
from hotplate.engine.recipes import Bound
from hotplate.engine.refusals import Entity, NotFound
from hotplate.engine.traversal import Tools
from hotplate.model import Action, Node, NodeState, Stack, Status, Version
from hotplate.resources.heat.provider_template import is_template_file
from hotplate.store.nodes import nodes_of
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions, versions_of

_MOST = 20
"""Causes of one kind that are told one by one."""

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
    version = named(versions_of(connection, stack.id), name)
    if version is None:
        raise NotFound(Entity.RESOURCE, name, stack.name)
    return list(_Explaining(connection, tools, stack).of(version))


class _Explaining:
    def __init__(self, connection: Connection, tools: Tools, stack: Stack) -> None:
        self._connection = connection
        self._tools = tools
        self._stack = stack
        self._nodes = {node.id: node for node in nodes_of(connection, stack.id)}

    def of(self, version: Version) -> Iterator[Cause]:
        path = (version.name,)
        tracer = self._tracer(self._stack)
        written = self._written(tracer, self._stack, version.name)
        state = f"{version.name} is {version.action.value}_{version.status.value}"
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
        else:
            yield from self._settled(version, tracer)

    def _settled(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        """Tell what a resource is made from that nothing is wrong with."""
        path = (version.name,)
        if version.reason not in ("", words.STATE_CHANGED):
            yield Cause(1, version.reason, path)
        at = version.updated_at or version.created_at
        when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield Cause(1, f"nothing waits, and nothing failed; it is so since {when}", path)
        if version.name not in self._bound(self._stack).template.template.resources:
            return
        for name in list(version.definition.get("properties", {}))[:_MOST]:
            for source in tracer.of_property(version.name, name):
                if source.kind is not SourceKind.TEMPLATE:
                    yield Cause(2, f"the property {name} {_said(source)}", path, source)

    def _failed(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        path = (version.name,)
        children = inside(self._connection, version)
        found = [failure for child in children for failure in failures(self._connection, child)]
        if not found:
            yield Cause(1, version.reason, path)
            yield from self._blamed(version, tracer)
            return
        for failure in found[:_MOST]:
            stack = read_stacks(self._connection, [failure.stack_id])[failure.stack_id]
            place = self._written(self._tracer(stack), stack, failure.path[-1])
            text = f"{'/'.join((*path, *failure.path))} failed in {failure.action}"
            yield Cause(1, text, (*path, *failure.path), place)
            yield Cause(2, failure.reason, (*path, *failure.path))

    def _blamed(self, version: Version, tracer: Tracer) -> Iterator[Cause]:
        """Tell where the properties come from that the reason speaks of."""
        for name, value in version.definition.get("properties", {}).items():
            text = str(value) if isinstance(value, str | int | float) else ""
            spoken_of = name in version.reason or (
                len(text) >= _SHORTEST and text in version.reason
            )
            if spoken_of and version.name in self._bound(self._stack).template.template.resources:
                for source in tracer.of_property(version.name, name):
                    yield Cause(2, f"the property {name} {_said(source)}", (version.name,), source)

    def _never_begun(self) -> Iterator[Cause]:
        yield Cause(1, f"its stack is {self._stack.action.value}_{self._stack.status.value}", ())
        for failure in failures(self._connection, self._stack)[:_MOST]:
            text = f"{'/'.join(failure.path)} failed: {failure.reason}"
            yield Cause(2, text, failure.path)

    def _node_of(self, version: Version) -> Node | None:
        """Return what is still to be done to a version in the traversal that is going on."""
        open_nodes = [
            node
            for node in self._nodes.values()
            if node.version_id == version.id
            and node.sequence == self._stack.sequence
            and node.state is not NodeState.DONE
        ]
        return (
            min(open_nodes, key=lambda node: (node.state is NodeState.WAITING, node.id))
            if (open_nodes)
            else None
        )

    def _waiting(self, node: Node, level: int, told: set[int]) -> Iterator[Cause]:
        """Tell what a node waits for, and what that waits for."""
        if node.state is not NodeState.WAITING:
            yield from self._under_way(node, level)
            return
        for other in self._nodes.values():
            before = node.id in other.successors and other.state is not NodeState.DONE
            if not before or other.id in told or len(told) >= _MOST:
                continue
            told.add(other.id)
            yield Cause(level, f"it waits for {other.name}", (other.name,))
            yield from self._waiting(other, level + 1, told)

    def _under_way(self, node: Node, level: int) -> Iterator[Cause]:
        version = read_versions(self._connection, [node.version_id])[node.version_id]
        path, doing = (version.name,), f"{version.action.value}_{version.status.value}"
        if node.is_paused:
            yield Cause(level, f"it waits until its hook {node.hook} is cleared", path)
        elif node.state is NodeState.READY:
            yield Cause(level, "it is ready, and waits for a worker", path)
        elif children := inside(self._connection, version):
            yield Cause(level, f"it is {doing}: the stack inside it is at work", path)
            for child in children:
                for inner in versions_of(self._connection, child.id)[:_MOST]:
                    if inner.status is Status.IN_PROGRESS:
                        text = f"{inner.name} is {inner.action.value}_{inner.status.value}"
                        yield Cause(level + 1, text, (*path, inner.name))
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
        kind = owner.definition.get("kind", owner.type)
        outer = self._tracer(parents[stack.parent_id])
        return outer.inside(bound, owner.name, kind, is_template_file(kind))


def _said(source: Source) -> str:
    """Return in words what stands at a place."""
    return {
        SourceKind.TEMPLATE: "is written here",
        SourceKind.PARAMETER: f"is the parameter {source.name} of the request",
        SourceKind.ENVIRONMENT: f"is the parameter {source.name}, given here",
        SourceKind.DEFAULT: f"is the default of the parameter {source.name}",
        SourceKind.RESOURCE: f"comes from the resource {source.name}",
        SourceKind.FILE: f"is the file {source.name}",
    }[source.kind]
