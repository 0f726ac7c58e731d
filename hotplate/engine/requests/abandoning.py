"""Forgetting a stack without touching its objects, once all of it has been written down."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.lookup import current_stack, locked_stack
from hotplate.engine.requests.acceptance import Overtaken
from hotplate.engine.requests.adoption import export
from hotplate.engine.requests.preconditions import must_be_idle
from hotplate.engine.traversal.end import appoint_clearing
from hotplate.model import Action, Stack
from hotplate.store.large.clearing import (
    TreeState,
    forget_stacks,
    tree_of,
    tree_state,
    versions_in_tree,
)
from hotplate.store.stacks import stacks_of_root
from hotplate.store.versions import remove_versions


@dataclass(frozen=True, slots=True)
class WrittenDown:
    """A stack as it was at one moment."""

    document: dict[str, Any]
    seen: TreeState


def write_down(connection: Connection, tools: Tools, stack_id: str) -> WrittenDown:
    """Return all that is needed to take a stack up elsewhere. Raises ActionInProgress."""
    stack = current_stack(connection, stack_id)
    _must_be_left_alone(connection, stack)
    seen = tree_state(connection, tree_of(connection, stack.id))
    return WrittenDown(export(connection, tools.book, stack), seen)


def abandon(connection: Connection, tools: Tools, stack_id: str, seen: TreeState) -> list[int]:
    """Forget a stack and those below it; return the node that takes away many resources.

    Raises Overtaken if it is not as it was seen, and ActionInProgress.
    """
    stack = locked_stack(connection, stack_id)
    _must_be_left_alone(connection, stack)
    tree = tree_of(connection, stack.id)
    if tree_state(connection, tree) != seen:
        raise Overtaken
    for each in tree:
        tools.book.forget(each)
    forget_stacks(connection, tree, tools.world.now(), status_texts.ABANDONED)
    stack.sequence += 1
    if seen.versions > tools.portion:
        return [appoint_clearing(connection, stack)]
    remove_versions(connection, versions_in_tree(connection, stack))
    return []


def _must_be_left_alone(connection: Connection, stack: Stack) -> None:
    # A delete may be left: what it still does for objects it has in hand, or what it came upon, is
    # done for nobody.
    if stack.action is not Action.DELETE:
        for inside in stacks_of_root(connection, stack.root_id):
            # A group may change its size while its parents are at rest.
            must_be_idle(inside)
