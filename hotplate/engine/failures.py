"""Why a stack failed: what failed at the bottom, with the way to it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.nested import DEEPEST
from hotplate.model import Stack
from hotplate.store.tree import failed_versions


@dataclass(frozen=True, slots=True)
class Failure:
    """One resource that failed. ``path`` are the names that lead to it through the stacks."""

    path: tuple[str, ...]
    type: str
    physical_id: str | None
    stack_id: str
    stack_name: str
    action: str
    reason: str


def failures(connection: Connection, stack: Stack) -> list[Failure]:
    """Return everything that failed in a tree of stacks and is no stack itself, in tree order."""
    rows = failed_versions(connection, stack.id, DEEPEST)
    holders: dict[int, Any] = {row.id: row for row in rows}

    def way(row: Any) -> tuple[str, ...]:
        steps = [row.name]
        while row.owner in holders:
            row = holders[row.owner]
            steps.append(row.name)
        return tuple(reversed(steps))

    return [
        Failure(
            way(row),
            row.type,
            row.physical_id,
            row.stack_id,
            row.stack_name,
            row.action,
            row.reason,
        )
        for row in rows
        if row.child_id is None
    ]
