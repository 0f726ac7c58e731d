"""Where the objects of a stack are not what was applied to them, as the last check found it."""

from dataclasses import dataclass

from sqlalchemy import Connection

from hotplate.engine.explain.tree_paths import TreePaths
from hotplate.model import Difference, Stack
from hotplate.store.tree import differing_versions
from hotplate.store.versions import load_differences

_ALL = 2**31 - 1
"""More levels than any tree of stacks has."""


@dataclass(frozen=True, slots=True)
class Differing:
    """One resource whose object differs. ``path`` are the names that lead to it."""

    path: tuple[str, ...]
    type: str
    physical_id: str | None
    stack_id: str
    stack_name: str
    differences: tuple[Difference, ...]


def differing(connection: Connection, stack: Stack) -> list[Differing]:
    """Return what differs in a tree of stacks, in tree order. Old versions do not count."""
    rows = differing_versions(connection, stack.id, _ALL)
    paths = TreePaths(rows)
    found = []
    for row in rows:
        steps = paths.way(row)
        if row.differences and not any(step.is_old for step in steps):
            found.append(
                Differing(
                    tuple(step.name for step in steps),
                    row.type,
                    row.physical_id,
                    row.stack_id,
                    row.stack_name,
                    load_differences(row.differences),
                )
            )
    return found
