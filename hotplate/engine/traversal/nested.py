"""Beginning the traversals of nested stacks, for the nodes of their parents."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildRequest
from hotplate.engine.physical_names import child_name
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.stored import keep, keep_all
from hotplate.engine.refusals import ActionInProgress
from hotplate.engine.traversal.begin import begin, begin_new
from hotplate.engine.traversal.visits import VISIT_TASKS, begin_visit
from hotplate.model import Action, Stack, Status, Version
from hotplate.store.nodes import wake_version
from hotplate.store.stacks import change_stack, lock_stacks, read_stacks
from hotplate.store.versions import read_versions, save_versions


@dataclass(frozen=True, slots=True)
class Delegation:
    """What the node of a version asks of its nested stack."""

    parent: Stack
    version: Version
    request: ChildRequest

    @property
    def child_id(self) -> str:
        """The id that the nested stack has or will have."""
        return self.version.physical_id or self.version.uuid


def begin_children(
    connection: Connection, tools: Tools, delegations: Sequence[Delegation]
) -> list[int]:
    """Start what nodes ask of the nested stacks of their versions; return the nodes that are ready.

    Children that do not exist are inserted first, all together. All of it belongs to the
    transaction in which the parents' nodes are laid aside, so there is no moment at which one
    exists without the other.
    """
    if not delegations:
        return []
    found = lock_stacks(connection, [each.child_id for each in delegations])
    ready: list[int] = []
    new: list[Delegation] = []
    for each in delegations:
        child = found.get(each.child_id)
        if child is not None and child.deleted_at is None:
            ready.extend(_begin_in(connection, tools, child, each.request))
        elif each.request.recipe is None:
            ready.extend(wake_version(connection, each.version.id))
        else:
            new.append(each)
    return ready + _create(connection, tools, new)


def lock_with_outer(connection: Connection, stack_id: str) -> list[Stack]:
    """Return a stack and those around it, the outermost last, all locked.

    Stacks are always locked from the root down: not for callers that have locked one of them.
    """
    ids: list[str] = []
    outer: str | None = stack_id
    while outer is not None:
        ids.append(outer)
        found = read_stacks(connection, [outer]).get(outer)
        outer = None if found is None else found.parent_id
    # The number of a stack is larger than that of the one around it, and they are locked in the
    # order of their numbers.
    locked = lock_stacks(connection, ids)
    return [locked[each] for each in ids if each in locked]


def visit_in_next_update(connection: Connection, stack: Stack, around: Sequence[Stack]) -> None:
    """Have the next update visit a stack and those around it, though no template changes.

    An update leaves alone what is already what it is to be. ``around`` are the stacks around it,
    the outermost last, all locked. Raises ActionInProgress if one of those is busy.
    """
    for parent in around:
        if parent.status is Status.IN_PROGRESS:
            raise ActionInProgress(parent)
        number = stack.parent_version or 0
        holder = read_versions(connection, [number])[number]
        holder.definition = holder.definition.with_nested_changes()
        holder.fingerprint = ""
        save_versions(connection, [holder])
        stack = parent


def _begin_in(
    connection: Connection, tools: Tools, child: Stack, request: ChildRequest
) -> list[int]:
    """Start what is asked of a child that exists."""
    if request.recipe is not None:
        if request.timeout != child.timeout:
            child.timeout = request.timeout
            change_stack(connection, child.id, timeout=request.timeout)
        recipe = keep(connection, child.project, request.recipe)
        return begin(connection, tools, child, request.action, recipe, converges=request.converges)
    if request.action in VISIT_TASKS:
        return begin_visit(connection, tools, child, request.action)
    return begin(connection, tools, child, Action.DELETE, child.recipe)


def _create(connection: Connection, tools: Tools, delegations: Sequence[Delegation]) -> list[int]:
    """Insert children with the first traversal of each; return the nodes that are ready."""
    if not delegations:
        return []
    now = tools.world.now()
    recipes: dict[str, list[Recipe]] = {}
    for each in delegations:
        if each.request.recipe is not None:
            recipes.setdefault(each.parent.project, []).append(each.request.recipe)
    digests = {
        project: iter(keep_all(connection, project, some)) for project, some in recipes.items()
    }
    children = [_new_child(each, next(digests[each.parent.project]), now) for each in delegations]
    return begin_new(connection, tools, children, [each.request.adopted for each in delegations])


def _new_child(delegation: Delegation, recipe: str, now: float) -> Stack:
    parent, version = delegation.parent, delegation.version
    return Stack(
        number=0,
        id=delegation.child_id,
        name=child_name(parent, version),
        project=parent.project,
        root_id=parent.root_id,
        parent_id=parent.id,
        parent_version=version.id,
        depth=parent.depth + 1,
        recipe=recipe,
        completed_recipe=None,
        traversal=None,
        sequence=0,
        counter=0,
        need=0,
        update_need=0,
        action=delegation.request.action,
        status=Status.IN_PROGRESS,
        reason="",
        rollback=False,
        timeout=delegation.request.timeout,
        deadline=None,
        tags=(),
        created_at=now,
        updated_at=None,
        deleted_at=None,
        username=parent.username,
        authority_id=parent.authority_id,
        visitor_id=parent.visitor_id,
    )
