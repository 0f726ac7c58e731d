"""What is written when a new stack, or an update, is accepted; all else has been done before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.lookup import locked_stack
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, StackFacts
from hotplate.engine.recipes.stored import keep
from hotplate.engine.requests.preconditions import must_be_at, must_be_changeable
from hotplate.engine.traversal.begin import begin
from hotplate.model import Action, Stack, Status
from hotplate.store.stacks import change_stack, insert_stacks, name_lock
from hotplate.validation.recipes import refuse_changed_immutables, refuse_external_conflicts


@dataclass(frozen=True, slots=True)
class Options:
    """How an operation is carried out. None leaves things as they are."""

    rollback: bool | None = None
    timeout: int | None = None
    tags: tuple[str, ...] | None = None
    converges: bool = False
    """Whether an update also brings back what differs in objects from what was applied."""

    username: str = ""
    """Who makes the stack; an update does not change it."""


@dataclass(frozen=True, slots=True)
class RequestedUpdate:
    """An update that has been validated: ``bound`` is its recipe, bound to the stack."""

    stack_id: str
    recipe: Recipe
    bound: Bound
    options: Options
    follows: str | None
    """What the stack must still be made of, if the update was made from that."""

    expected: int | None
    """The sequence of the traversal that the caller has seen; None if that does not matter."""


class Overtaken(Exception):
    """The stack is made of something else than what an update was made from."""


def insert_requested(
    connection: Connection, tools: Tools, whose: StackFacts, recipe: Recipe, options: Options
) -> Stack:
    """Insert a new stack; return it."""
    row: Mapping[str, Any] = {
        "id": whose.id,
        "name": whose.name,
        "project": whose.project,
        "root_id": whose.id,
        "depth": 0,
        "recipe": keep(connection, whose.project, recipe),
        "sequence": 0,
        "counter": 0,
        "need": 0,
        "update_need": 0,
        "action": Action.CREATE.value,
        "status": Status.IN_PROGRESS.value,
        "reason": "",
        "rollback": bool(options.rollback),
        "timeout": options.timeout,
        "tags": "[]",
        "created_at": tools.world.now(),
        "name_lock": name_lock(whose.project, whose.name),
        "username": options.username,
    }
    insert_stacks(connection, [row])
    if options.tags:
        change_stack(connection, whose.id, tags=list(options.tags))
    return locked_stack(connection, whose.id)


def begin_update(
    connection: Connection, tools: Tools, update: RequestedUpdate
) -> tuple[Stack, list[int]]:
    """Begin an update; return the stack and the nodes that are ready.

    Raises Overtaken, Moved, NotSupported, ImmutableChanged or InvalidDocument.
    """
    locked = locked_stack(connection, update.stack_id)
    must_be_at(locked, update.expected)
    must_be_changeable(locked, "Updating a stack")
    if update.follows not in (None, locked.recipe):
        raise Overtaken
    _apply(connection, locked, update.options)
    refuse_changed_immutables(connection, tools, locked, update.bound)
    refuse_external_conflicts(connection, locked, update.bound)
    digest = keep(connection, locked.project, update.recipe)
    converges = update.options.converges
    ready = begin(connection, tools, locked, Action.UPDATE, digest, converges=converges)
    return locked, ready


def _apply(connection: Connection, stack: Stack, options: Options) -> None:
    changes: dict[str, Any] = {}
    if options.rollback is not None:
        changes["rollback"] = stack.rollback = options.rollback
    if options.timeout is not None:
        changes["timeout"] = stack.timeout = options.timeout
    if options.tags is not None:
        changes["tags"] = list(options.tags)
        stack.tags = options.tags
    if changes:
        change_stack(connection, stack.id, **changes)
