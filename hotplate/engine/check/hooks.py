"""Hooks: where a resource waits, before or after something is done to it, until one is cleared."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind
from hotplate.engine.recipes.book import Bound
from hotplate.environment import Hook
from hotplate.model import Action, Status, Task

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
_STOPPABLE: Final = (Action.CREATE, Action.UPDATE, Action.RESTORE, Action.DELETE)
"""Actions of a stack in which hooks hold for what is made or deleted; a rollback is not one."""


class AtHook(Exception):
    """A node has come to a hook and nothing has been begun. ``hook`` is its name."""

    def __init__(self, hook: str) -> None:
        super().__init__(hook)
        self.hook = hook


def hook_before(bound: Bound, claim: Claim, action: Action) -> str | None:
    """Return the hook at which a node waits before it begins an action, None if it may begin."""
    return _hook(_BEFORE, bound, claim, action)


def hook_after(bound: Bound, claim: Claim, action: Action) -> str | None:
    """Return the hook at which a node waits that has completed an action, None if it may end."""
    return _hook(_AFTER, bound, claim, action)


def paused_after(bound: Bound, outcome: Outcome) -> Outcome:
    """Return the outcome of a node, which may have come to a hook after its last action."""
    claim = outcome.claim
    is_over = outcome.kind is OutcomeKind.FINISHED and claim.is_current and bool(outcome.changes)
    if not is_over or claim.node.task not in (Task.UPDATE, Task.CLEANUP):
        return outcome
    action, status, _ = outcome.changes[-1]
    if action is Action.CHECK:
        action = Action.CREATE  # the adoption of an external object ends with a check of it
    hook = hook_after(bound, claim, action) if status is Status.COMPLETE else None
    return outcome if hook is None else replace(outcome, kind=OutcomeKind.PAUSED, hook=hook)


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
