"""The graph of a traversal: which versions, which nodes, which waits for which."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from hotplate.graph import Graph
from hotplate.model import Action, Status, Task, Version
from hotplate.plan.choose import choose


@dataclass(slots=True)
class PlannedNode:
    """A node before it has an id. ``position`` is its place in the list of nodes."""

    position: int
    version_id: int
    name: str
    task: Task
    need: int = 0
    successors: list[int] = field(default_factory=list)


@dataclass(slots=True)
class TraversalPlan:
    """All that starting a traversal changes besides the stack row.

    ``settled`` are versions for which nothing is to be done: the new traversal owns them at
    once and they need no node; ``moved`` says what those of them require now whose dependencies
    changed all the same. ``missing`` are names without a version; ids are given out for
    them as negative numbers, -1 for the first, which the caller replaces.
    """

    settled: list[int] = field(default_factory=list)
    moved: dict[int, list[int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    nodes: list[PlannedNode] = field(default_factory=list)
    broken_edges: list[tuple[int, int]] = field(default_factory=list)


IsSettled = Callable[[str, Version], bool]
"""Tells whether a version already is what the template wants, given that all it needs is."""

GivesWay = Callable[[Version], bool]
"""Tells whether a version that is not chosen may have to give something up for the one that is."""


def prepare(
    versions: Sequence[Version],
    requires: Mapping[str, Sequence[str]],
    coming_from: str | None,
    going_to: str,
    busy: Mapping[int, int],
    is_settled: IsSettled,
    external_ids: Mapping[str, str] = MappingProxyType({}),
) -> TraversalPlan:
    """Return the graph over all versions for a template with these names and dependencies.

    ``requires`` is in dependency order. ``busy`` maps versions that an older traversal is still
    working on to its node: whatever is to be done to them waits for that. ``external_ids`` are the
    objects that resources shall be, as far as they are known already.
    """
    result = TraversalPlan()
    by_name: dict[str, list[Version]] = {}
    for version in versions:
        by_name.setdefault(version.name, []).append(version)
    settled_names: dict[str, int] = {}
    update_of: dict[str, PlannedNode] = {}
    for name, needed in requires.items():
        chosen = choose(by_name.get(name, ()), coming_from, going_to, external_ids.get(name))
        if (
            chosen is not None
            and chosen.id not in busy
            and _in_order(chosen)
            and not chosen.is_external  # others change it: it is read each time
            and all(other in settled_names for other in needed)
            and is_settled(name, chosen)
        ):
            settled_names[name] = chosen.id
            result.settled.append(chosen.id)
            required = [settled_names[other] for other in needed]
            if set(required) != set(chosen.requires):
                result.moved[chosen.id] = required
            continue
        if chosen is None:
            result.missing.append(name)
            version_id = -len(result.missing)
        else:
            version_id = chosen.id
        node = _add(result, version_id, name, Task.UPDATE)
        update_of[name] = node
        for other in needed:
            if other in update_of:
                _edge(update_of[other], node)
    _add_cleanups(result, versions, update_of)
    for node in result.nodes:
        if node.version_id in busy:
            node.need += 1
    return result


def add_preparations(
    result: TraversalPlan,
    versions: Sequence[Version],
    requires: Mapping[str, Sequence[str]],
    busy: Mapping[int, int],
    gives_way: GivesWay,
) -> None:
    """Add a node for every version that is not chosen and may have what the chosen one needs.

    It gives that up when all that the chosen one requires is done, and before that is changed or
    replaced. Only of such versions ``gives_way`` is asked.
    """
    update_of = {node.name: node for node in result.nodes if node.task is Task.UPDATE}
    for version in versions:
        update = update_of.get(version.name)
        if update is None or update.version_id == version.id or not gives_way(version):
            continue
        node = _add(result, version.id, version.name, Task.PREPARE)
        for other in requires[version.name]:
            if other in update_of:
                _edge(update_of[other], node)
        _edge(node, update)
        if version.id in busy:
            node.need += 1


def _in_order(version: Version) -> bool:
    return (
        version.status is Status.COMPLETE
        and version.action not in (Action.INIT, Action.DELETE, Action.SUSPEND)
        and not version.has_given_up
    )


def _add(result: TraversalPlan, version_id: int, name: str, task: Task) -> PlannedNode:
    node = PlannedNode(len(result.nodes), version_id, name, task)
    result.nodes.append(node)
    return node


def _edge(first: PlannedNode, then: PlannedNode) -> None:
    first.successors.append(then.position)
    then.need += 1


def _add_cleanups(
    result: TraversalPlan, versions: Sequence[Version], update_of: Mapping[str, PlannedNode]
) -> None:
    """Add a node for every version that may have to go: after all that needed it, newest first."""
    settled = set(result.settled)
    loose = [version for version in versions if version.id not in settled]
    cleanup_of = {
        version.id: _add(result, version.id, version.name, Task.CLEANUP) for version in loose
    }
    for version in loose:
        if version.name in update_of:
            _edge(update_of[version.name], cleanup_of[version.id])
    order, result.broken_edges = removal_order(loose)
    for version_id, before in order.items():
        for other in before:
            _edge(cleanup_of[other], cleanup_of[version_id])


def removal_order(
    loose: Sequence[Version],
) -> tuple[dict[int, list[int]], list[tuple[int, int]]]:
    """Return which go before each version, if any do, and what was left out to make it possible.

    What a version once required may contradict what another requires now. Such a loop must not
    keep the stack from going on: the order between versions of one name is given up first, then
    what failed versions required, the oldest first.
    """
    ids = {version.id for version in loose}
    before: dict[int, list[int]] = {}
    soft: set[tuple[int, int]] = set()
    broken: list[tuple[int, int]] = []
    for version in loose:
        for needed in version.requires:
            if needed in ids and needed != version.id:
                before.setdefault(needed, []).append(version.id)
        if version.replaces in ids and version.replaces is not None:
            before.setdefault(version.replaces, []).append(version.id)
            if version.replaces not in version.requires:
                soft.add((version.replaces, version.id))
    if not before:
        return {}, broken
    # In the order in which they are given: of several loops the first is broken first.
    before = {version.id: before.get(version.id, []) for version in loose}
    by_id = {version.id: version for version in loose}
    while loop := Graph(before).cycle():
        worst = min(
            pairwise(loop),
            key=lambda edge: (
                edge not in soft,
                by_id[edge[1]].status is not Status.FAILED,
                by_id[edge[1]].created_at,
                edge,
            ),
        )
        before[worst[0]] = [other for other in before[worst[0]] if other != worst[1]]
        broken.append(worst)
    return {version_id: sorted(set(others)) for version_id, others in before.items()}, broken
