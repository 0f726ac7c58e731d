"""Hooks and restrictions: where a resource waits for somebody, and what must not be done to it."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.check.claims import Claim
from hotplate.engine.context import Tools
from hotplate.engine.event_log import Journal
from hotplate.engine.recipes import Bound
from hotplate.engine.refusals import BadHook, Entity, NotFound
from hotplate.engine.requests.queries import existing, shown
from hotplate.environment import Hook, RestrictedAction
from hotplate.model import Action, Stack, Version
from hotplate.plan.decide import Step
from hotplate.store.events import insert_events
from hotplate.store.nodes import let_pass, nodes_at_hook
from hotplate.store.versions import read_versions, versions_of

_BEFORE: Final[Mapping[Action, Hook]] = {
    Action.CREATE: Hook.PRE_CREATE,
    Action.UPDATE: Hook.PRE_UPDATE,
    Action.DELETE: Hook.PRE_DELETE,
}
_AFTER: Final[Mapping[Action, Hook]] = {
    Action.CREATE: Hook.POST_CREATE,
    Action.UPDATE: Hook.POST_UPDATE,
    Action.DELETE: Hook.POST_DELETE,
}
_LAST: Final = frozenset(hook.value for hook in _AFTER.values())
_STEPS: Final = {RestrictedAction.UPDATE: Step.UPDATE, RestrictedAction.REPLACE: Step.REPLACE}
_STOPPABLE: Final = (Action.CREATE, Action.UPDATE, Action.RESTORE, Action.DELETE)
"""Actions of a stack in which hooks hold for what is made or deleted; a rollback is not one."""


class AtHook(Exception):
    """A node has come to a hook and nothing has been begun. ``hook`` is its name."""

    def __init__(self, hook: str) -> None:
        super().__init__(hook)
        self.hook = hook


def restricted_steps(bound: Bound, name: str) -> frozenset[Step]:
    """Return what an update must not do to a resource."""
    return frozenset(map(_STEPS.__getitem__, bound.environment.registry.restricted_actions(name)))


def hook_before(bound: Bound, claim: Claim, action: Action) -> str | None:
    """Return the hook at which a node waits before it begins an action, None if it may begin."""
    return _hook(_BEFORE, bound, claim, action)


def hook_after(bound: Bound, claim: Claim, action: Action) -> str | None:
    """Return the hook at which a node waits that has completed an action, None if it may end."""
    return _hook(_AFTER, bound, claim, action)


def has_passed_last(claim: Claim) -> bool:
    """Tell whether a hook after the action was cleared: there is nothing more to do."""
    return claim.node.passed in _LAST


def _hook(hooks: Mapping[Action, Hook], bound: Bound, claim: Claim, action: Action) -> str | None:
    hook = hooks.get(action)
    if hook is None or claim.node.passed == hook.value:
        return None
    if hook not in bound.environment.registry.hooks(claim.node.name):
        return None
    return hook.value if _holds(bound, claim, action) else None


def _holds(bound: Bound, claim: Claim, action: Action) -> bool:
    """Tell whether hooks hold for an action: of a replacement only those of the update do."""
    stack, version = claim.stack, claim.version
    if action is Action.UPDATE:
        return True
    if stack.action not in _STOPPABLE:
        return False
    if action is Action.CREATE:
        return version.replaces is None
    is_removed = stack.action is Action.DELETE or version.name not in bound.template.graph
    return is_removed and version.replaced_by is None


def clear_hook(
    connection: Connection, tools: Tools, stack_id: str, name: str, hook: str
) -> list[int]:
    """Let a resource go on that waits at a hook; return the nodes that are ready.

    The stack is locked, and so it is where nodes are laid aside: none can be missed on its way.
    Raises NotFound, or BadHook if the resource does not wait there.
    """
    stack = existing(connection, stack_id)
    waiting = nodes_at_hook(connection, stack_id, name, hook)
    if not waiting:
        raise _nothing_to_clear(connection, stack, name, hook)
    ready = [node_id for node_id, _ in waiting]
    let_pass(connection, ready, hook)
    journal = Journal(tools.world, tools.world.now())
    versions = read_versions(connection, [version_id for _, version_id in waiting])
    for _, version_id in waiting:
        version = versions[version_id]
        journal.version(version, version.action, version.status, status_texts.cleared(hook))
    insert_events(connection, journal.rows)
    return ready


def _nothing_to_clear(connection: Connection, stack: Stack, name: str, hook: str) -> Exception:
    version = shown(versions_of(connection, stack.id)).get(name)
    if version is None:
        return NotFound(Entity.RESOURCE, name, stack.name)
    resource = _described(version, stack)
    if hook not in {each.value for each in Hook}:
        return BadHook(f'Invalid hook type "{hook}" for {resource}')
    return BadHook(f'The "{hook}" hook is not defined on {resource}')


def _described(version: Version, stack: Stack) -> str:
    """Return a resource in the words that Heat has for it."""
    name = f'{version.type.rpartition("::")[2]} "{version.name}"'
    if version.physical_id is not None:
        name = f"{name} [{version.physical_id}]"
    return f'{name} Stack "{stack.name}" [{stack.id}]'
