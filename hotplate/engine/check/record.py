"""Recording what became of claimed nodes: many nodes, one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind, Recorded
from hotplate.engine.check.listening import note_listener, wake_if_signalled
from hotplate.engine.context import Tools
from hotplate.engine.event_log import NewEvents
from hotplate.engine.object_ownership import refused
from hotplate.engine.physical_names import child_name, reported_id
from hotplate.engine.signal_data import add_signalled
from hotplate.engine.traversal.between import defer_publication
from hotplate.engine.traversal.end import complete
from hotplate.engine.traversal.nested import Delegation, begin_children
from hotplate.engine.traversal.overtaken import awaited, waits_elsewhere
from hotplate.engine.traversal.rollback import fail_and_roll_back
from hotplate.engine.traversal.stack_transitions import failed
from hotplate.engine.version_transitions import SEARCHING, abort
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.store.events import insert_events
from hotplate.store.large.portions import has_coordinator, ready_coordinator
from hotplate.store.nodes import (
    count_down,
    finish,
    lock_nodes,
    park,
    pause,
    put_back,
    remove_nodes,
    repoint,
    wake_version,
)
from hotplate.store.stacks import change_stack, lock_stack, lock_stacks
from hotplate.store.versions import (
    BuiltRow,
    build_rows,
    insert_versions,
    read_versions,
    remove_versions,
    save_versions,
)

_MAKING = (Action.CREATE, Action.ADOPT)

GoAhead = Callable[[Connection, Sequence[Outcome], Mapping[str, Stack]], list[Outcome]]
"""Returns how nodes end at once that outcomes of locked stacks make ready; writes nothing."""


def record(
    connection: Connection,
    tools: Tools,
    outcomes: Sequence[Outcome],
    ahead: GoAhead | None = None,
) -> Recorded:
    """Write the outcomes of claimed nodes; those whose claim is lost are left out.

    For each node its version's state, its event, the counters of its successors and of what waits
    for its release, and, for the last node, the stack's own status are one transaction. With
    ``ahead`` so are the ends of nodes that become ready by it and come to their end at once.
    """
    result = Recorded()
    # All workers that record something of a stack wait for its lock.
    built = build_rows(connection, [outcome.claim.version for outcome in outcomes])
    stacks = lock_stacks(connection, {outcome.claim.node.stack_id for outcome in outcomes})
    mine = _still_mine(connection, tools, outcomes, stacks, result)
    mine = _with_refusals(connection, mine, result)
    if ahead is not None:
        result.further = ahead(connection, mine, stacks)
        mine += result.further
    _write_versions(connection, tools, mine, _unchanged(tools, mine, built))
    _write_nodes(connection, mine, result)
    for outcome in mine:
        if outcome.kind is OutcomeKind.PARKED and _waits_for_child(outcome):
            result.ready.extend(_wake_if_ended(connection, outcome.claim.version))
        if outcome.received is not None:
            has_parked = outcome.kind is OutcomeKind.PARKED
            listen = wake_if_signalled if has_parked else note_listener
            result.ready.extend(listen(connection, outcome.claim.version, outcome.received))
    delegations = [
        Delegation(outcome.claim.stack, outcome.claim.version, outcome.request)
        for outcome in mine
        if outcome.request is not None
    ]
    if delegations:
        result.ready.extend(begin_children(connection, tools, delegations))
        # One of these stacks may be nested in another, and has been given something new to do.
        stacks = lock_stacks(connection, stacks)
    for outcome in mine:
        if _changed_between(outcome):
            defer_publication(connection, tools, outcome.claim.stack)
    _advance_stacks(connection, tools, mine, stacks, result)
    return result


def _still_mine(
    connection: Connection,
    tools: Tools,
    outcomes: Sequence[Outcome],
    stacks: Mapping[str, Stack],
    result: Recorded,
) -> list[Outcome]:
    """Return the outcomes whose claims still hold, as they are recorded by what is known now."""
    rows = lock_nodes(connection, [outcome.claim.node.id for outcome in outcomes])
    mine = []
    for outcome in outcomes:
        row = rows.get(outcome.claim.node.id)
        if row is None or not _is_mine(outcome.claim, row):
            result.lost.add(outcome.claim.node.id)
            continue
        stack = stacks[row.stack_id]
        if outcome.kind is OutcomeKind.PAUSED and row.sequence != stack.sequence:
            # No node waits at the hooks of an old traversal.
            outcome = replace(outcome, kind=OutcomeKind.FINISHED, hook=None)  # noqa: PLW2901
        if outcome.kind is OutcomeKind.PAUSED and outcome.hook == row.passed:
            # It was woken by mistake, and the hook was cleared before it was parked again.
            put_back(connection, [row.id], row.worker or 0)
            result.ready.append(row.id)
            result.lost.add(row.id)
            continue
        is_left = outcome.is_fresh or outcome.kind is OutcomeKind.DROPPED
        if row.sequence != stack.sequence and is_left and not _waits_alone(outcome, row):
            _leave_to_newer(connection, outcome, row, result)
            continue
        if row.sequence != stack.sequence and outcome.kind is OutcomeKind.PARKED:
            outcome = _overtaken(outcome, tools, stack)  # noqa: PLW2901
        outcome.claim.node = row
        outcome.claim.stack = stack
        mine.append(outcome)
    return mine


def _changed_between(outcome: Outcome) -> bool:
    """Tell whether a nested stack has reached its recipe, outside of a traversal of its parent.

    Then no node of the parent has waited for it.
    """
    claim = outcome.claim
    has_changed = any(
        (action, status) == (Action.UPDATE, Status.COMPLETE)
        for action, status, _ in outcome.changes
    )
    is_asked = claim.node.task is Task.UPDATE and claim.node.sequence == claim.stack.sequence
    return has_changed and not is_asked and claim.version.is_nested_stack


def _with_refusals(
    connection: Connection, outcomes: list[Outcome], result: Recorded
) -> list[Outcome]:
    """Return the outcomes; for one that takes an object which it may not have, its failure."""
    refusals = refused(
        connection,
        {
            outcome.claim.node.id: (outcome.taking, outcome.claim.version, outcome.claim.stack)
            for outcome in outcomes
            if outcome.taking is not None
        },
    )
    if not refusals:
        return outcomes
    result.lost.update(refusals)
    return [
        _refused(outcome, refusals[outcome.claim.node.id])
        if outcome.claim.node.id in refusals
        else outcome
        for outcome in outcomes
    ]


def _refused(outcome: Outcome, text: str) -> Outcome:
    if outcome.taking is None:
        raise AssertionError(f"{outcome.claim.version.name} takes nothing and is refused it")
    failure: Outcome = outcome.taking.otherwise(text)
    return replace(failure, claim=replace(outcome.claim, version=failure.claim.version))


def _leave_to_newer(connection: Connection, outcome: Outcome, row: Node, result: Recorded) -> None:
    """End an overtaken node: the newer traversal decides what becomes of the version.

    If nothing waits for the version, this node itself must bring to its end what was begun
    earlier. The outcome stays as it is, for this transaction may have to be run again.
    """
    result.lost.add(row.id)
    if outcome.is_open and not row.releases:
        put_back(connection, [row.id], row.worker or 0)
        result.ready.append(row.id)
        return
    if outcome.is_open:
        _end_search(connection, row.version_id)
    _end(connection, [row], result)
    remove_nodes(connection, [row.id])


def _end_search(connection: Connection, version_id: int) -> None:
    """Let a search for an object end with its node; the newer traversal searches anew, or never."""
    version = read_versions(connection, [version_id]).get(version_id)
    if version is not None and version.cookie == SEARCHING:
        version.cookie = None
        save_versions(connection, [version])


def _waits_alone(outcome: Outcome, row: Node) -> bool:
    """Tell whether a nested stack is still busy and its end wakes only this node."""
    is_child = outcome.claim.version.is_nested_stack
    return is_child and outcome.kind is OutcomeKind.PARKED and not row.releases


def _waits_for_child(outcome: Outcome) -> bool:
    """Tell whether a node waits for the end of its nested stack, not for the time of a stage.

    A traversal that was overtaken gives it no further stage.
    """
    claim = outcome.claim
    is_child = claim.version.is_nested_stack
    return is_child and (outcome.due is None or claim.node.sequence != claim.stack.sequence)


def _overtaken(outcome: Outcome, tools: Tools, stack: Stack) -> Outcome:
    """Return what is recorded of work of an older traversal that wants to wait.

    While the stack is being deleted it does not. What was overtaken while its worker had it is
    claimed once more: by then it is known whether the work is still wanted.
    """
    version = outcome.claim.version
    if version.is_nested_stack:
        return outcome
    if stack.action is Action.DELETE and version.intent is not Action.DELETE:
        return _aborted(outcome)
    if stack.status is Status.IN_PROGRESS and version.intent is not None:
        version.reason = awaited(version, stack.action)
    is_news = outcome.claim.stack.sequence != stack.sequence and version.cookie != SEARCHING
    if is_news and (outcome.due is None or waits_elsewhere(tools.catalogue, version)):
        return replace(outcome, due=tools.world.now())
    return outcome


def _aborted(outcome: Outcome) -> Outcome:
    """Return the end of work that wanted to wait, as aborted."""
    version = replace(outcome.claim.version)
    abort(version)
    return replace(
        outcome,
        claim=replace(outcome.claim, version=version),
        kind=OutcomeKind.FAILED,
        changes=[*outcome.changes, (version.action, version.status, version.reason)],
    )


def _wake_if_ended(connection: Connection, version: Version) -> list[int]:
    """Wake a node again whose nested stack ended between its report and the parking."""
    # Locked: a child that is ending just now has not seen the node parked.
    child = lock_stack(connection, version.physical_id or "")
    if child is not None and child.status is Status.IN_PROGRESS:
        return []
    return wake_version(connection, version.id)


def _is_mine(claim: Claim, row: Node) -> bool:
    return (
        row.state is NodeState.CLAIMED
        and row.generation == claim.node.generation
        and row.worker == claim.node.worker
    )


def _unchanged(
    tools: Tools, outcomes: Sequence[Outcome], built: Mapping[int, BuiltRow]
) -> dict[int, BuiltRow]:
    """Return the rows of those versions that were not changed after their stack was locked.

    What an older traversal does may be ended or told in other words, and signals may have come.
    """
    found = {}
    for outcome in outcomes:
        claim = outcome.claim
        row = built.get(claim.version.id)
        if (
            row is not None
            and row.version is claim.version
            and claim.node.sequence == claim.stack.sequence
            and not tools.catalogue.growing(claim.version.type_name)
        ):
            found[claim.version.id] = row
    return found


def _write_versions(
    connection: Connection,
    tools: Tools,
    outcomes: Sequence[Outcome],
    built: Mapping[int, BuiltRow],
) -> None:
    now = tools.world.now()
    events = NewEvents(tools.world, now)
    saved, inserted, removed = [], [], []
    for outcome in outcomes:
        version = outcome.claim.version
        if outcome.replaced is not None:
            inserted.append(version)
            saved.append(outcome.replaced)
        elif outcome.removed:
            removed.append(version.id)
        elif outcome.kind is not OutcomeKind.DROPPED:
            saved.append(version)
        for action, status, reason in outcome.changes:
            is_begun = action in _MAKING and status is Status.IN_PROGRESS
            # What is adopted has its id already; a nested stack gets one of its own.
            is_begun = is_begun and (action is Action.CREATE or version.definition.is_applied)
            stack = outcome.claim.stack
            name = child_name(stack, version) if is_begun else reported_id(stack, version)
            events.version(version, action, status, reason, name)
        if outcome.hook is not None and outcome.claim.node.hook is None:
            events.version(
                version, version.action, version.status, status_texts.paused(outcome.hook)
            )
    insert_versions(connection, inserted)
    add_signalled(connection, tools.catalogue, saved)
    save_versions(connection, saved, built)
    remove_versions(connection, removed)
    insert_events(connection, events.rows)


def _write_nodes(connection: Connection, outcomes: Sequence[Outcome], result: Recorded) -> None:
    repoint(
        connection,
        [
            (outcome.claim.node.id, outcome.claim.version.id)
            for outcome in outcomes
            if outcome.replaced is not None
        ],
    )
    park(
        connection,
        [
            (outcome.claim.node.id, outcome.due)
            for outcome in outcomes
            if outcome.kind in (OutcomeKind.PARKED, OutcomeKind.DELEGATED)
        ],
    )
    at_hooks = [(o.claim.node.id, o.hook) for o in outcomes if o.hook is not None]
    pause(connection, at_hooks)
    ended = (OutcomeKind.FINISHED, OutcomeKind.FAILED, OutcomeKind.DROPPED)
    _end(connection, [o.claim.node for o in outcomes if o.kind in ended], result)


def _end(connection: Connection, nodes: Sequence[Node], result: Recorded) -> None:
    """Mark nodes as done and let go what waited for them."""
    stale = [node.id for node in nodes if node.releases]
    finish(connection, [node.id for node in nodes])
    released = [target for node in nodes for target in node.releases]
    result.ready.extend(count_down(connection, released))
    remove_nodes(connection, stale)


def _advance_stacks(
    connection: Connection,
    tools: Tools,
    outcomes: Sequence[Outcome],
    stacks: dict[str, Stack],
    result: Recorded,
) -> None:
    """Bring stacks on by how their nodes have ended.

    Successors and the stacks' own sync points are counted down; a stack whose last node has ended
    is completed, and one of which a node has failed is failed and goes back.
    """
    for outcome in outcomes:
        node = outcome.claim.node
        if outcome.kind is OutcomeKind.FAILED and node.sequence == stacks[node.stack_id].sequence:
            stack = stacks[node.stack_id]
            state = failed(stack, outcome.reason, outcome.reason_code)
            result.ready.extend(fail_and_roll_back(connection, tools, stack, state))
            # With it stop its nested stacks, which may be among these.
            stacks = lock_stacks(connection, stacks)
    finished: dict[str, list[Outcome]] = {}
    overtaken: list[int] = []
    for outcome in outcomes:
        node = outcome.claim.node
        if node.sequence != stacks[node.stack_id].sequence:
            if outcome.kind in (OutcomeKind.FINISHED, OutcomeKind.FAILED, OutcomeKind.DROPPED):
                overtaken.append(node.id)
        elif outcome.kind is OutcomeKind.FINISHED:
            finished.setdefault(node.stack_id, []).append(outcome)
    remove_nodes(connection, overtaken)
    ended = {outcome.claim.node.id for outcome in result.further}
    targets = [
        target
        for group in finished.values()
        for outcome in group
        for target in outcome.claim.node.successors
        if target not in ended
    ]
    result.ready.extend(count_down(connection, targets))
    for stack_id, group in finished.items():
        _count_down_stack(connection, tools, stacks[stack_id], group, result)


def _count_down_stack(
    connection: Connection, tools: Tools, stack: Stack, group: list[Outcome], result: Recorded
) -> None:
    """Count the finished nodes of a stack; complete it with the last one.

    With the last update node an event says that all resources are up to date.
    """
    updates = sum(outcome.claim.node.task is Task.UPDATE for outcome in group)
    stack.need -= len(group)
    was_updating = stack.update_need > 0
    stack.update_need -= updates
    change_stack(connection, stack.id, need=stack.need, update_need=stack.update_need)
    if stack.need == 0:
        result.ready.extend(complete(connection, tools, stack))
    elif stack.need == 1 and has_coordinator(connection, stack):
        result.ready.extend(ready_coordinator(connection, stack))
    elif was_updating and stack.update_need == 0:
        events = NewEvents(tools.world, tools.world.now())
        reason = status_texts.updated_cleaning(stack.action)
        events.stack(stack, stack.action, Status.IN_PROGRESS, reason)
        insert_events(connection, events.rows)
