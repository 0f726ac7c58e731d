"""Removing what is not needed any more, in small transactions beside the running engine.

A content, recipe or text of a workflow is removed only while its row is locked and after a look,
made under that lock, at everything that could refer to it. Who wants to refer to it again must hold
the row first (hotplate.store.recipes, hotplate.store.workflows.runs): they wait for this
transaction, find nothing, and store it anew.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Delete,
    Engine,
    Table,
    bindparam,
    delete,
    select,
    union,
)

from hotplate.store.database import transact
from hotplate.store.schema import (
    content,
    deferred_change,
    event,
    inclusion,
    node,
    recipe,
    signal,
    snapshot,
    stack,
    stack_request,
    version,
)
from hotplate.store.sealing import seals_of
from hotplate.store.workers import database_time
from hotplate.store.workflows.purge import PurgedWorkflows, Steps, purge_steps
from hotplate.store.workflows.schema import workflow_execution, workflow_text

BATCH = 500
"""Rows that one transaction touches."""

_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_OLDEST_EVENTS = select(event.c.number, event.c.at).order_by(event.c.number)
_EVENTS_OF = select(event.c.number).where(event.c.stack_id.in_(_IDS))
_REMOVE_EVENTS = delete(event).where(event.c.number.in_(_IDS))
_DELETED_STACKS = (
    select(stack.c.id)
    .where(stack.c.deleted_at < bindparam("before"))
    .order_by(stack.c.deleted_at, stack.c.number)
)
_REMOVE_OF_STACK = (
    delete(node).where(node.c.stack_id.in_(_IDS)),
    delete(version).where(version.c.stack_id.in_(_IDS)),
    delete(snapshot).where(snapshot.c.stack_id.in_(_IDS)),
    delete(signal).where(signal.c.stack_id.in_(_IDS)),
    delete(deferred_change).where(deferred_change.c.stack_id.in_(_IDS)),
    delete(stack_request).where(stack_request.c.stack_id.in_(_IDS)),
    delete(stack).where(stack.c.id.in_(_IDS)),
)
_PAGE = {
    table: select(table.c.digest)
    .where(table.c.digest > bindparam("after"))
    .order_by(table.c.digest)
    for table in (content, recipe, workflow_text)
}
_LOCKED = {
    table: select(table.c.digest)
    .where(table.c.digest.in_(_IDS))
    .order_by(table.c.digest)
    .with_for_update(skip_locked=True)
    for table in (content, recipe, workflow_text)
}
_REMOVE = {
    content: (
        delete(inclusion).where(inclusion.c.holder.in_(_IDS)),
        delete(content).where(content.c.digest.in_(_IDS)),
    ),
    recipe: (delete(recipe).where(recipe.c.digest.in_(_IDS)),),
    workflow_text: (delete(workflow_text).where(workflow_text.c.digest.in_(_IDS)),),
}
# One statement each: references move from one column to another, and must not be missed between.
_USED = {
    table: union(*(select(column).where(column.in_(_IDS)) for column in columns))
    for table, columns in (
        (
            recipe,
            (
                stack.c.recipe,
                stack.c.completed_recipe,
                stack.c.carried_recipe,
                version.c.recipe,
                snapshot.c.recipe,
            ),
        ),
        (
            content,
            (recipe.c.template, recipe.c.environment, recipe.c.files, inclusion.c.content),
        ),
        (workflow_text, (workflow_execution.c.text,)),
    )
}


@dataclass(slots=True)
class Purged:
    """How much was removed."""

    stacks: int = 0
    events: int = 0
    recipes: int = 0
    contents: int = 0
    executions: int = 0
    """Of workflows; those below others are not counted."""

    actions: int = 0
    """That no workflow ran."""

    definitions: int = 0
    """Texts that executions began with."""


def purge(
    engine: Engine,
    stack_age: float | None = None,
    event_age: float | None = None,
    execution_age: float | None = None,
    batch: int = BATCH,
    clock: Callable[[Connection], float] = database_time,
) -> Purged:
    """Remove what is not needed: what is of that age in seconds, and orphans.

    Stacks count from their deletion, executions of workflows from their end. What has no age is
    left alone. Contents and recipes go when no stack, version or snapshot refers to them, texts of
    workflows when no execution does. Each transaction touches about a batch of rows; the engine and
    other purges may work on the same database meanwhile.
    """
    now = transact(engine, clock)
    purged = Purged()
    if stack_age is not None:
        _purge_stacks(engine, purged, now - stack_age, batch)
    if event_age is not None:
        before = now - event_age
        while number := transact(engine, partial(purge_events, before=before, most=batch)):
            purged.events += number
    if execution_age is not None:
        found = _driven(engine, purge_steps(now - execution_age, batch))
        purged.executions, purged.actions = found.executions, found.actions
    purged.definitions = _sweep(engine, purge_definitions, batch)
    purged.recipes = _sweep(engine, purge_recipes, batch)
    # What only a list of files named is free once the list itself is removed.
    while number := _sweep(engine, purge_contents, batch):
        purged.contents += number
    return purged


def purge_events(connection: Connection, before: float, most: int) -> int:
    """Remove the oldest events if they are from before that time; return how many.

    Events are numbered as time goes by, so the search ends at the first that is young enough.
    """
    rows = connection.execute(_OLDEST_EVENTS.limit(most)).all()
    old = [number for number, at in rows if at < before]
    _run(connection, (_REMOVE_EVENTS,), old)
    return len(old)


def deleted_stacks(connection: Connection, before: float, most: int) -> list[str]:
    """Return stacks that were deleted before that time."""
    return list(connection.execute(_DELETED_STACKS.limit(most), {"before": before}).scalars())


def purge_events_of(connection: Connection, stack_ids: Sequence[str], most: int) -> int:
    """Remove some events of stacks; return how many."""
    query = _EVENTS_OF.limit(most)
    numbers = list(connection.execute(query, {"ids": list(stack_ids)}).scalars())
    _run(connection, (_REMOVE_EVENTS,), numbers)
    return len(numbers)


def purge_stacks(connection: Connection, stack_ids: Sequence[str]) -> int:
    """Remove stacks that are marked as deleted, with all that belongs to them but their events."""
    _run(connection, _REMOVE_OF_STACK, stack_ids)
    return len(stack_ids)


def purge_recipes(connection: Connection, after: str, most: int) -> tuple[int, str | None]:
    """Look at recipes from a digest on and remove those that nothing refers to.

    Returns how many, and where to go on; None at the end.
    """
    return _purge(connection, recipe, after, most)


def purge_contents(connection: Connection, after: str, most: int) -> tuple[int, str | None]:
    """Look at contents from a digest on and remove those that nothing refers to.

    Returns how many, and where to go on; None at the end.
    """
    return _purge(connection, content, after, most)


def purge_contents_of(connection: Connection, project: str, digests: Iterable[str]) -> None:
    """Remove those of some contents of a project that nothing refers to."""
    _remove_unused(connection, content, sorted(map(seals_of(connection, project).stored, digests)))


def purge_definitions(connection: Connection, after: str, most: int) -> tuple[int, str | None]:
    """Look at texts of workflows from a digest on and remove those that no execution began with.

    Returns how many, and where to go on; None at the end.
    """
    return _purge(connection, workflow_text, after, most)


def _driven(engine: Engine, steps: Steps) -> PurgedWorkflows:
    answer: Any = None
    while True:
        try:
            work = steps.send(answer)
        except StopIteration as end:
            found: PurgedWorkflows = end.value
            return found
        answer = transact(engine, work)


def _purge_stacks(engine: Engine, purged: Purged, before: float, batch: int) -> None:
    while stacks := transact(engine, partial(deleted_stacks, before=before, most=batch)):
        events = partial(purge_events_of, stack_ids=stacks, most=batch)
        while number := transact(engine, events):
            purged.events += number
        purged.stacks += transact(engine, partial(purge_stacks, stack_ids=stacks))


def _sweep(engine: Engine, step: Callable[..., tuple[int, str | None]], batch: int) -> int:
    removed = 0
    after: str | None = ""
    while after is not None:
        number, after = transact(engine, partial(step, after=after, most=batch))
        removed += number
    return removed


def _purge(connection: Connection, table: Table, after: str, most: int) -> tuple[int, str | None]:
    page = list(connection.execute(_PAGE[table].limit(most), {"after": after}).scalars())
    removed = _remove_unused(connection, table, page)
    return removed, page[-1] if len(page) == most else None


def _remove_unused(connection: Connection, table: Table, digests: list[str]) -> int:
    doomed = _unused(connection, table, digests)
    if doomed:
        # Rows that are locked are about to be used: left for the next time.
        locked = connection.execute(_LOCKED[table], {"ids": doomed}).scalars()
        doomed = _unused(connection, table, list(locked))
        _run(connection, _REMOVE[table], doomed)
    return len(doomed)


def _unused(connection: Connection, table: Table, digests: list[str]) -> list[str]:
    if not digests:
        return []
    used = set(connection.execute(_USED[table], {"ids": digests}).scalars())
    return [digest for digest in digests if digest not in used]


def _run(
    connection: Connection, statements: Sequence[Delete], ids: Sequence[str] | Sequence[int]
) -> None:
    if ids:
        for statement in statements:
            connection.execute(statement, {"ids": list(ids)})
