"""How a traversal begins. All of it in a transaction of the caller."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.context import Tools as Tools  # noqa: PLC0414 (for those who begin traversals)
from hotplate.engine.event_log import NewEvents
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.stored import keep
from hotplate.engine.traversal.end import complete
from hotplate.engine.traversal.overtaken import (
    abort,
    note_awaited_work,
    parked_at_work,
    wake_waiting_elsewhere,
)
from hotplate.engine.traversal.planned_rows import PlannedRows, id_count, row_id, types_of
from hotplate.engine.traversal.stack_transitions import begun
from hotplate.engine.wanted_definition import is_as_wanted
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.prepare import TraversalPlan, add_preparations, prepare
from hotplate.plan.replacement_preparation import preparing_type
from hotplate.store.carried import APART
from hotplate.store.events import insert_events
from hotplate.store.large.survey import offered_by_id, survey
from hotplate.store.nodes import (
    insert_nodes,
    nodes_of,
    remove_idle_nodes,
    remove_nodes,
    set_releases,
)
from hotplate.store.sealing import seals_of
from hotplate.store.stacks import (
    insert_new,
    switch_traversal,
)
from hotplate.store.versions import (
    confirm,
    confirm_all,
    count_versions,
    insert_versions,
    move_requirements,
    read_versions,
    remove_versions,
    unfinished_versions,
)

_CHILDREN = 2
"""Portions of resources that nested stacks may have together that are made in one transaction."""

ADOPTED = "adopted"
"""Key in the data of a version: what the nested stack shall take over when it is made."""


def begin(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    action: Action,
    recipe: str,
    adopted: Mapping[str, Mapping[str, Any]] | None = None,
    converges: bool = False,
) -> list[int]:
    """Start a traversal of a locked stack; return the nodes that are ready.

    One transaction does all: the traversal id, the versions chosen or inserted, one sync point for
    each node, the counters of the stack's own, the event. Of a large traversal it only appoints a
    coordinator, which does the rest in portions. ``stack`` is changed to what the row
    holds now. ``converges``: objects are compared with what is wanted, not only definitions.
    """
    now = tools.world.now()
    stack.converges = converges
    bound = None if action is Action.DELETE else tools.book.bound(connection, stack, recipe)
    changes: dict[str, Any] = {"recipe": recipe, "converges": converges}
    if is_large(connection, tools, stack, bound):
        if adopted and bound is not None:
            changes["recipe"] = _with_adopted(connection, stack, bound.recipe, adopted)
        return appoint(connection, tools, stack, action, changes)
    versions = survey(connection, stack.id)
    busy = remove_idle_work(connection, tools, stack, action, now)
    versions = _without_deleted(connection, versions, busy)
    plan = plan_graph(
        connection, tools, stack, bound, versions, busy, RecipeChange(stack.recipe, recipe)
    )
    sequence, previous = stack.sequence + 1, stack.sequence
    types = types_of(bound)
    rows = PlannedRows(tools.world, stack, plan, types, sequence, recipe, now, stack.counter)
    nodes, new_versions = rows.nodes(), rows.versions()
    adopt(new_versions, adopted or {})
    start_traversal(connection, tools, stack, action, nodes, {"counter": rows.counter, **changes})
    insert_versions(connection, new_versions)
    _own_settled(connection, stack, plan, versions, previous)
    return insert_graph(connection, tools, stack, nodes, busy)


def begin_new(
    connection: Connection,
    tools: Tools,
    stacks: Sequence[Stack],
    adopted: Sequence[Mapping[str, Mapping[str, Any]]],
) -> list[int]:
    """Insert stacks, each with the traversal that makes it; return the nodes that are ready.

    The same as `begin` for each of them, in a few statements for all. A stack's action says
    whether it is created or adopted.
    """
    now = tools.world.now()
    bounds = [tools.book.bound(connection, stack, stack.recipe) for stack in stacks]
    plans: list[TraversalPlan | None] = []
    room = _CHILDREN * tools.portion
    for stack, bound, taken in zip(stacks, bounds, adopted, strict=True):
        size = len(bound.template.resources)
        if size > tools.portion or size > room:
            if taken:
                stack.recipe = _with_adopted(connection, stack, bound.recipe, taken)
            plans.append(None)
            tasks: list[Task] = [Task.PLAN]
        else:
            room -= size
            plan = plan_graph(
                connection, tools, stack, bound, [], {}, RecipeChange(stack.recipe, stack.recipe)
            )
            plans.append(plan)
            tasks = [node.task for node in plan.nodes]
        for key, value in _switched(tools, stack, stack.action, tasks, now).items():
            setattr(stack, key, value)
        stack.counter = 1 if plans[-1] is None else id_count(plan)
    for stack, number in zip(stacks, insert_new(connection, stacks), strict=True):
        stack.number = number
    nodes: list[Node] = []
    versions: list[Version] = []
    events = NewEvents(tools.world, now)
    for stack, bound, planned, taken in zip(stacks, bounds, plans, adopted, strict=True):
        events.stack(stack, stack.action, Status.IN_PROGRESS, stack.reason)
        if planned is None:
            nodes.append(_coordinator(connection, stack, 1, stack.sequence, stack.recipe))
            continue
        sequence, recipe = stack.sequence, stack.recipe
        types = types_of(bound)
        rows = PlannedRows(tools.world, stack, planned, types, sequence, recipe, now, 0)
        nodes.extend(rows.nodes())
        new = rows.versions()
        adopt(new, taken)
        versions.extend(new)
    insert_versions(connection, versions)
    insert_nodes(connection, nodes)
    insert_events(connection, events.rows)
    ready = [node.id for node in nodes if node.state is NodeState.READY]
    for stack in stacks:
        if not stack.need:
            ready.extend(complete(connection, tools, stack))
    return ready


def is_large(connection: Connection, tools: Tools, stack: Stack, bound: Bound | None) -> bool:
    """Tell whether beginning a traversal would keep others waiting, for what it writes."""
    portion = tools.portion_of(stack.project)
    if bound is not None and len(bound.template.resources) > portion:
        return True
    is_new = not stack.sequence
    return not is_new and count_versions(connection, stack.id, portion) > portion


def _with_adopted(
    connection: Connection,
    stack: Stack,
    recipe: Recipe,
    adopted: Mapping[str, Mapping[str, Any]],
) -> str:
    """Keep what a stack takes over beside what it is made of, for its coordinator to read."""
    return keep(connection, stack.project, replace(recipe, adopted=adopted))


def appoint(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    action: Action,
    changes: Mapping[str, Any],
    task: Task = Task.PLAN,
) -> list[int]:
    """Start a traversal of a locked stack with nothing but its coordinator; return that.

    What an older traversal has left to do is not begun any more from now on, for a claim looks at
    the stack's sequence. ``task`` is what the coordinator begins with.
    """
    counter, sequence = stack.counter + 1, stack.sequence + APART
    node = _coordinator(connection, stack, counter, sequence, stack.recipe)
    node.task = task
    start_traversal(
        connection, tools, stack, action, [node], {"counter": counter, **changes}, APART
    )
    insert_nodes(connection, [node])
    _note_beginning(connection, tools, stack)
    return [node.id]


def _coordinator(
    connection: Connection, stack: Stack, counter: int, sequence: int, coming_from: str
) -> Node:
    return Node(
        id=row_id(stack.number, counter),
        stack_id=stack.id,
        sequence=sequence,
        version_id=0,
        name=seals_of(connection, stack.project).stored(coming_from),
        task=Task.PLAN,
        need=0,
        state=NodeState.READY,
    )


def adopt(versions: Iterable[Version], known: Mapping[str, Mapping[str, Any]]) -> None:
    """Let new versions take over what exists already. A nested stack gets an id of its own."""
    for version in versions:
        taken = known.get(version.name, {})
        if "resources" in taken:
            version.data = {**(taken.get("resource_data") or {}), ADOPTED: taken["resources"]}
        else:
            version.physical_id = taken.get("resource_id")
            version.data = dict(taken.get("resource_data") or {})


def start_traversal(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    action: Action,
    nodes: Iterable[Node],
    changes: Mapping[str, Any],
    apart: int = 1,
) -> None:
    """Let a locked stack belong to a new traversal that has these nodes to do.

    ``apart`` is by how much its sequence is greater than that of the one before.
    """
    tasks = [node.task for node in nodes]
    new = _switched(tools, stack, action, tasks, tools.world.now(), apart)
    everything = {"converges": False, **changes, **new}
    if not switch_traversal(
        connection, stack.id, stack.sequence, everything, project=stack.project
    ):
        raise AssertionError(f"the stack {stack.id} was changed by another while it was locked")
    for key, value in everything.items():
        setattr(stack, key, value)


def _switched(
    tools: Tools,
    stack: Stack,
    action: Action,
    tasks: list[Task],
    now: float,
    apart: int = 1,
) -> dict[str, Any]:
    """Return what changes in a stack for which a traversal with these nodes begins."""
    changes = {
        "traversal": tools.world.uuid(),
        "sequence": stack.sequence + apart,
        "need": len(tasks),
        "update_need": tasks.count(Task.UPDATE),
        **begun(stack, action).columns(),
        "deadline": None if stack.timeout is None else now + 60.0 * stack.timeout,
    }
    if action is not Action.CREATE:
        changes["updated_at"] = now
    return changes


def insert_graph(
    connection: Connection, tools: Tools, stack: Stack, nodes: list[Node], busy: Mapping[int, int]
) -> list[int]:
    """Insert the nodes of a traversal that begins, and its event; return those that are ready."""
    insert_nodes(connection, nodes)
    _await_release(connection, nodes, busy)
    if stack.action is not Action.DELETE:
        note_awaited_work(connection, stack)
    _note_beginning(connection, tools, stack)
    if not nodes:
        return complete(connection, tools, stack)
    return [node.id for node in nodes if node.state is NodeState.READY]


def _note_beginning(connection: Connection, tools: Tools, stack: Stack) -> None:
    events = NewEvents(tools.world, tools.world.now())
    events.stack(stack, stack.action, Status.IN_PROGRESS, stack.reason)
    insert_events(connection, events.rows)


def _without_deleted(
    connection: Connection, versions: list[Version], busy: Mapping[int, int]
) -> list[Version]:
    """Forget the versions whose objects an interrupted operation has deleted."""
    deleted = {
        version.id
        for version in versions
        if version.action is Action.DELETE
        and version.status is Status.COMPLETE
        and version.id not in busy
    }
    remove_versions(connection, list(deleted))
    return [version for version in versions if version.id not in deleted]


def remove_idle_work(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    action: Action,
    now: float,
) -> dict[int, int]:
    """Remove what no worker has; return the versions still worked on with their nodes.

    A deletion does not wait for what is parked: that work ends here, as aborted. Otherwise what
    works elsewhere, or waits for a signal, is woken: perhaps it is not wanted any more.
    """
    old = nodes_of(connection, stack.id)
    remove_idle_nodes(connection, stack.id)
    # A coordinator is removed; a worker that has it finds out.
    busy = {
        node.version_id: node.id
        for node in old
        if node.state is NodeState.CLAIMED and not node.is_coordinator
    }
    parked = parked_at_work(old)
    if action is Action.DELETE:
        # Not all of them have a node that is parked: it may have been woken, or have ended by now.
        idle = (unfinished_versions(connection, stack.id) | parked.keys()) - busy.keys()
        begun = [v for v in read_versions(connection, idle).values() if v.cookie is not None]
        unwanted = [v for v in begun if v.intent is not Action.DELETE]
        abort(connection, tools.world, stack, unwanted, now)
        remove_nodes(connection, [node.id for node in parked.values()])
        return busy
    wake_waiting_elsewhere(connection, tools.catalogue, parked)
    for version in read_versions(connection, parked).values() if parked else ():
        if version.is_nested_stack:
            # A nested stack is not waited for: what comes next begins in it at once.
            remove_nodes(connection, [parked.pop(version.id).id])
    return {**busy, **{version_id: node.id for version_id, node in parked.items()}}


@dataclass(frozen=True, slots=True)
class RecipeChange:
    """From which recipe to which a traversal brings a stack."""

    coming_from: str
    going_to: str
    apart: AbstractSet[str] = frozenset()
    """Names that have nothing to do with the others, and for which the graph has nothing."""


def plan_graph(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    bound: Bound | None,
    versions: list[Version],
    busy: Mapping[int, int],
    recipes: RecipeChange,
) -> TraversalPlan:
    """Return the graph of a traversal of a stack.

    Reads only. ``versions`` are those of `survey`; ``busy`` are those on which an older traversal
    still works, with its nodes. Those of names that are left out are not among them.
    """
    published = PublishedValues()

    def is_settled(name: str, version: Version) -> bool:
        if version.id in offered:
            version.attributes, version.reference = offered[version.id]
        if bound is None or not is_as_wanted(
            tools.catalogue, bound, name, version, published.data, stack.converges
        ):
            return False
        if version.id in offered:
            published.add(version)
        return True

    requires: dict[str, tuple[str, ...]] = {}
    offered: dict[int, tuple[dict[str, Any], str | None]] = {}
    if bound is not None:
        graph = bound.template.graph
        requires = {name: graph.requires(name) for name in graph.order_without(recipes.apart)}
        needed = (
            [name for name in requires if graph.required_by(name) or name in bound.needed]
            if versions
            else []
        )
        offered = offered_by_id(connection, stack.id, needed)

    def gives_way(version: Version) -> bool:
        # Few have older versions beside them: only of these the definition is read.
        known = read_versions(connection, [version.id])[version.id]
        return preparing_type(known, tools.catalogue) is not None

    external_ids = bound.external_ids() if bound is not None and versions else {}
    plan = prepare(
        versions,
        requires,
        recipes.coming_from,
        recipes.going_to,
        busy,
        is_settled,
        external_ids,
    )
    add_preparations(plan, versions, requires, busy, gives_way)
    return plan


def _own_settled(
    connection: Connection,
    stack: Stack,
    plan: TraversalPlan,
    versions: list[Version],
    previous: int,
) -> None:
    """Let the new traversal own the versions for which there is nothing to do."""
    owned = {version.id for version in versions if version.owner == previous}
    if owned == set(plan.settled) and stack.carrier != previous:
        confirm_all(connection, stack, previous)
    else:
        confirm(connection, stack, plan.settled)
    move_requirements(connection, plan.moved)


def _await_release(connection: Connection, nodes: list[Node], busy: Mapping[int, int]) -> None:
    """Note on work of older traversals which nodes wait for its end."""
    releases: dict[int, list[int]] = {node_id: [] for node_id in busy.values()}
    for node in nodes:
        if node.version_id in busy:
            releases[busy[node.version_id]].append(node.id)
    set_releases(connection, {key: tuple(ids) for key, ids in releases.items()})
