"""Large traversals: their graph is written, opened and taken away in portions.

A traversal that would keep others waiting begins with one node, its coordinator. Whichever worker
claims that reads what there is, plans, and writes versions and nodes in transactions of a bounded
size; no node can run until all are there. Then the traversal is opened: what waits for nothing
becomes ready. When only the coordinator is left to finish, it removes what is not needed any
more, and completes the stack. What a large stack has left that failed is taken away by a
coordinator as well: see `clearing`.

Each function is one transaction, or a part that reads. Those that write hold the stack's lock, and
do so only for the owner of the coordinator and only while its traversal is the newest. Whatever has
been written when a worker dies is used or removed by the one that goes on. At every moment each
version with work under way has a node that will bring it to its end, for the stack may fail at any
moment: so the nodes of older traversals stay until those of the present one are there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import Bound
from hotplate.engine.traversal.begin import RecipeChange, adopt, plan_graph
from hotplate.engine.traversal.claimed_coordinator import (
    Coordinator,
    is_owner,
    lock_stack_of,
    newest,
)
from hotplate.engine.traversal.earlier_recipe import note_unchanged
from hotplate.engine.traversal.end import Found, complete, found_by_check, kept_data
from hotplate.engine.traversal.overtaken import abort, awaited, wake_waiting_elsewhere
from hotplate.engine.traversal.planned_rows import PlannedRows, row_id, types_of
from hotplate.engine.traversal.rollback import fail_and_roll_back
from hotplate.engine.traversal.stack_transitions import failed
from hotplate.engine.traversal.untouched import Surveyed, survey_for
from hotplate.engine.traversal.visits import VISIT_TASKS, plan_visit
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.independent import Independent, IndependentNodes
from hotplate.plan.lazy_sequences import Concatenation, in_order
from hotplate.plan.prepare import PlannedNode
from hotplate.store.large.portions import (
    carry,
    confirm_some,
    coordinate,
    disown,
    done_nodes,
    draft_nodes,
    gone_versions,
    older_nodes,
    older_nodes_on,
    open_drafts,
    remove_stale_nodes,
    stale_nodes,
)
from hotplate.store.large.survey import names_by_id
from hotplate.store.nodes import finish, insert_nodes, remove_nodes, set_releases
from hotplate.store.sealing import seals_of
from hotplate.store.stacks import change_stack, read_stacks
from hotplate.store.versions import (
    insert_versions,
    move_requirements,
    read_versions,
    remove_versions,
    save_versions,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LargePlan:
    """What a large traversal has to do."""

    missing: Sequence[str]
    """Names without a version."""

    nodes: Sequence[PlannedNode]
    """New versions have negative ids. Independent ones may have no name."""

    updates: int
    """How many of them update something."""

    moved: Mapping[int, list[int]]
    """What versions require now for which there is nothing else to do."""

    types: Mapping[str, str]
    """The types of the resources, by name."""

    confirmed: list[int]
    """Versions for which there is nothing to do and which the traversal does not own yet."""

    carries: bool
    """Whether it carries the others of them, so that nothing is written to them."""

    disowned: list[Version]
    """Versions with which something is to be done, if it carries others: not among these."""

    gone: list[int]
    """Versions whose objects an interrupted operation has deleted."""

    older: frozenset[int]
    """Versions that have nodes of older traversals on which work was begun."""

    unfinished: frozenset[int]
    """Versions on which work was begun and has not come to its end."""

    adopted: Mapping[str, Mapping[str, Any]]
    """What new versions take over that exists already, by their names."""


def parts(count: int, size: Callable[[], int]) -> Iterator[slice]:
    """Yield what so many things are divided into; the size is asked before each part."""
    start = 0
    while start < count:
        end = start + max(1, size())
        yield slice(start, end)
        start = end


def portions(things: Sequence[T], size: Callable[[], int]) -> Iterator[Sequence[T]]:
    """Yield things in portions; the size is asked before each."""
    return (things[part] for part in parts(len(things), size))


def read_plan(connection: Connection, tools: Tools, by: Coordinator) -> LargePlan:
    """Return what a traversal has to do. Raises NotNewest.

    Reads only. What it reads may change until it is written: older work may come to its end, and
    nothing else, for only this traversal may begin something.
    """
    stack = newest(by, read_stacks(connection, [by.stack.id]).values())
    older = older_nodes(connection, stack)
    known = read_versions(connection, [node.version_id for node in older]) if older else {}
    busy = {node.version_id: node.id for node in older if _is_awaited(stack, node, known)}
    bound, gone = None, []
    if stack.action not in VISIT_TASKS and stack.action is not Action.DELETE:
        bound = tools.book.bound(connection, stack, stack.recipe)
    coming_from = seals_of(connection, stack.project).digest(by.node.name)
    if bound is not None:
        note_unchanged(connection, tools, stack, bound, coming_from)
    surveyed = survey_for(connection, stack, bound, busy, coming_from, may_carry=not older)
    versions = surveyed.versions
    if stack.action in VISIT_TASKS:
        graph = plan_visit(versions, VISIT_TASKS[stack.action], busy)
        independent = Independent(versions=surveyed.independent, task=VISIT_TASKS[stack.action])
    else:
        gone = [version.id for version in versions if _is_gone(version) and version.id not in busy]
        kept = [v for v in versions if not _is_gone(v) or v.id in busy] if gone else versions
        unmade = _unmade(bound, surveyed, kept)
        names = in_order(unmade, bound.template.graph if bound else ())
        independent = Independent(names, surveyed.changed, surveyed.independent)
        apart = unmade | surveyed.untouched | surveyed.changed_names
        recipes = RecipeChange(coming_from, stack.recipe, apart)
        graph = plan_graph(connection, tools, stack, bound, kept, busy, recipes)
    for planned in graph.nodes:
        # Whether that is still so is seen when the node is written.
        planned.need -= planned.version_id in busy
    settled = set(graph.settled)
    tasks = [node.task for node in graph.nodes]
    return LargePlan(
        Concatenation(graph.missing, independent.names),
        Concatenation(
            graph.nodes, IndependentNodes(independent, len(graph.nodes), len(graph.missing))
        ),
        tasks.count(Task.UPDATE) + independent.updates,
        graph.moved,
        types_of(bound),
        [
            *surveyed.owned_by_older,
            *(
                v.id
                for v in versions
                if v.id in settled and (v.owner != stack.sequence or v.id in graph.moved)
            ),
        ],
        surveyed.carries,
        [v for v in versions if v.id not in settled and v.owner != stack.sequence]
        if surveyed.carries
        else [],
        gone,
        frozenset(node.version_id for node in older),
        frozenset(v.id for v in versions if v.status is Status.IN_PROGRESS),
        bound.recipe.adopted if bound is not None and stack.action is Action.ADOPT else {},
    )


def reserve_ids(connection: Connection, by: Coordinator, count: int) -> int:
    """Give out ids for all that a plan wants to exist; return how many were given out before."""
    stack = lock_stack_of(connection, by)
    change_stack(connection, stack.id, counter=stack.counter + count)
    return stack.counter


def write_versions(
    connection: Connection, by: Coordinator, plan: LargePlan, rows: PlannedRows, part: slice
) -> None:
    """Insert some of the new versions."""
    lock_stack_of(connection, by)
    versions = rows.versions(part)
    adopt(versions, plan.adopted)
    insert_versions(connection, versions)


def write_nodes(
    connection: Connection,
    tools: Tools,
    by: Coordinator,
    plan: LargePlan,
    rows: PlannedRows,
    part: slice,
) -> list[int]:
    """Insert some of the nodes; return nodes of older traversals that are ready because of it.

    With a node comes all that is between it and older work on its version: it waits for its end,
    or that work ends here.
    """
    stack = lock_stack_of(connection, by)
    nodes = rows.nodes(part)
    if unnamed := [node for node in nodes if not node.name]:
        names = names_by_id(connection, [node.version_id for node in unnamed])
        for node in unnamed:
            node.name = names[node.version_id]
    on = {node.version_id for node in nodes}
    older = older_nodes_on(connection, sorted(on & plan.older), stack.sequence)
    touched = on & (plan.older | plan.unfinished)
    known = read_versions(connection, touched) if touched else {}
    waited = {key: each for key, each in older.items() if _is_awaited(stack, each, known)}
    for node in nodes:
        is_waiting = node.version_id in waited
        node.need += is_waiting
        if is_waiting or not node.need:
            # What it waits for may end before the graph is complete.
            node.state = NodeState.DRAFT
    insert_nodes(connection, nodes)
    remove_nodes(connection, [each.id for key, each in older.items() if key not in waited])
    _await_release(connection, rows, nodes, waited)
    if stack.action is Action.DELETE:
        paused = {key for key, each in older.items() if each.is_paused}
        idle = [v for v in known.values() if v.id not in waited and v.id not in paused]
        unwanted = [v for v in idle if v.cookie is not None and v.intent is not Action.DELETE]
        abort(connection, tools.world, stack, unwanted, tools.world.now())
        return []
    parked = {key: each for key, each in waited.items() if each.state is NodeState.PARKED}
    woken = wake_waiting_elsewhere(connection, tools.catalogue, parked)
    _note_awaited(connection, stack, [v for v in known.values() if v.id in plan.unfinished])
    return woken


def let_go(connection: Connection, by: Coordinator, versions: Sequence[Version]) -> None:
    """Let some of the versions with which something is to be done belong to nobody."""
    disown(connection, lock_stack_of(connection, by), versions)


def own_settled(
    connection: Connection, by: Coordinator, plan: LargePlan, ids: Sequence[int]
) -> None:
    """Let the traversal own some of the versions for which there is nothing to do."""
    stack = lock_stack_of(connection, by)
    confirm_some(connection, stack, ids)
    moved = plan.moved
    move_requirements(connection, {each: moved[each] for each in ids if each in moved})


def read_stale(connection: Connection, rows: PlannedRows) -> Sequence[int]:
    """Return the nodes that are of no use once the graph is there."""
    return stale_nodes(connection, rows.stack, _before(rows))


def remove_stale(
    connection: Connection, by: Coordinator, rows: PlannedRows, ids: Sequence[int]
) -> None:
    """Remove some of them."""
    stack = lock_stack_of(connection, by)
    remove_stale_nodes(connection, stack, _before(rows), ids)


def forget_versions(connection: Connection, by: Coordinator, ids: Sequence[int]) -> None:
    """Remove some versions whose objects have been deleted."""
    lock_stack_of(connection, by)
    remove_versions(connection, ids)


def install(connection: Connection, by: Coordinator, plan: LargePlan) -> None:
    """Let the graph count: all of it has been written."""
    stack = lock_stack_of(connection, by)
    change_stack(connection, stack.id, need=len(plan.nodes) + 1, update_need=plan.updates)
    if plan.carries:
        carry(connection, stack)
    coordinate(connection, by.node, Task.OPEN, NodeState.CLAIMED)


def read_drafts(connection: Connection, by: Coordinator) -> Sequence[int]:
    """Return the nodes that wait for the traversal to be opened."""
    return draft_nodes(connection, by.stack)


def open_some(connection: Connection, by: Coordinator, ids: Sequence[int]) -> list[int]:
    """Open the traversal for some of them; return those that are ready."""
    lock_stack_of(connection, by)
    return open_drafts(connection, ids)


def rest(connection: Connection, by: Coordinator) -> bool:
    """Let the coordinator wait for all other nodes; return whether they are done already."""
    stack = lock_stack_of(connection, by)
    is_over = stack.need == 1
    state = NodeState.CLAIMED if is_over else NodeState.WAITING
    coordinate(connection, by.node, Task.CLOSE, state)
    return is_over


def read_remains(connection: Connection, by: Coordinator) -> tuple[Sequence[int], Sequence[int]]:
    """Return the nodes that are done, and the versions whose objects have been deleted."""
    stack = by.stack
    return done_nodes(connection, stack), gone_versions(connection, stack)


def remove_remains(
    connection: Connection,
    by: Coordinator,
    nodes: Sequence[int] = (),
    versions: Sequence[int] = (),
) -> None:
    """Remove some of them."""
    lock_stack_of(connection, by)
    remove_nodes(connection, nodes)
    remove_versions(connection, versions)


def read_kept(connection: Connection, by: Coordinator) -> dict[str, Any] | None:
    """Return what a snapshot keeps; None if the traversal takes none."""
    return kept_data(connection, by.stack) if by.stack.action is Action.SNAPSHOT else None


def read_found(connection: Connection, by: Coordinator) -> Found | None:
    """Return what a check found; None if the traversal is none."""
    return found_by_check(connection, by.stack) if by.stack.action is Action.CHECK else None


def end(
    connection: Connection,
    tools: Tools,
    by: Coordinator,
    kept: dict[str, Any] | None,
    found: Found | None = None,
) -> list[int]:
    """Complete the stack; return nodes that are ready because of it."""
    stack = lock_stack_of(connection, by)
    finish(connection, [by.node.id])
    change_stack(connection, stack.id, need=0)
    return complete(connection, tools, stack, is_tidy=True, kept=kept, found=found)


def give_up(connection: Connection, tools: Tools, by: Coordinator, reason: str) -> list[int]:
    """Fail the stack, because there is no plan; return nodes that are ready because of it."""
    stack = lock_stack_of(connection, by)
    remove_nodes(connection, [by.node.id])
    return fail_and_roll_back(connection, tools, stack, failed(stack, reason))


def leave(connection: Connection, by: Coordinator) -> None:
    """Remove a coordinator that is overtaken. What it has written goes with the next traversal."""
    if is_owner(connection, by.node):
        remove_nodes(connection, [by.node.id])


def _unmade(
    bound: Bound | None, surveyed: Surveyed, versions: Iterable[Version]
) -> AbstractSet[str]:
    """Return the independent resources without a version."""
    if bound is None:
        return frozenset()
    independent = bound.template.graph.independent() - surveyed.untouched - surveyed.changed_names
    return independent - {version.name for version in versions} if independent else independent


def _is_gone(version: Version) -> bool:
    return version.action is Action.DELETE and version.status is Status.COMPLETE


def _is_awaited(stack: Stack, node: Node, known: dict[int, Version]) -> bool:
    """Tell whether older work on a version comes to its end before something new begins.

    If not, its node goes when the new one comes. A deletion does not wait for what is parked, and
    a nested stack is not waited for: what comes next begins in it at once.
    """
    if node.state is NodeState.CLAIMED:
        return True
    version = known.get(node.version_id)
    is_nested = version is not None and version.is_nested_stack
    return not (node.is_paused or stack.action is Action.DELETE or is_nested)


def _await_release(
    connection: Connection, rows: PlannedRows, nodes: Iterable[Node], waited: dict[int, Node]
) -> None:
    """Note on work of older traversals which nodes wait for its end."""
    before = _before(rows)
    releases = {each.id: [id_ for id_ in each.releases if id_ > before] for each in waited.values()}
    for node in nodes:
        if node.version_id in waited:
            releases[waited[node.version_id].id].append(node.id)
    set_releases(connection, {key: tuple(ids) for key, ids in releases.items()})


def _note_awaited(connection: Connection, stack: Stack, versions: Iterable[Version]) -> None:
    """Write into the reason of versions with work under way that the stack waits for its end."""
    noted = [v for v in versions if v.intent is not None and not v.is_nested_stack]
    for version in noted:
        version.reason = awaited(version, stack.action)
    save_versions(connection, noted)


def _before(rows: PlannedRows) -> int:
    """Return the last id that the stack had given out before these."""
    return row_id(rows.stack.number, rows.base)
