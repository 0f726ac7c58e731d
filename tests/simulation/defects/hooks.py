"""Defects that only hooks show, each switched on by changing one function."""

from collections.abc import Iterable

from sqlalchemy import Connection

from hotplate.engine.check import hooks
from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.requests import hooks as clearing
from hotplate.engine.traversal import end
from hotplate.model import Action, Node
from hotplate.store.nodes import insert_nodes, nodes_of, remove_unbegun_nodes
from tests.simulation.defects.engine import Defect, Patch


def clearing_wakes_nobody(patch: Patch) -> None:
    """Somebody clears a hook, and what waits at it is not told."""
    patch.setattr(clearing, "let_pass", lambda connection, ids, hook: None)


def newer_traversals_wait_for_hooks(patch: Patch) -> None:
    """What waits at a hook is taken for work under way, although nobody may ever let it go on."""
    patch.setattr(Node, "is_paused", property(lambda self: False))


def failing_leaves_what_waits(patch: Patch) -> None:
    """A stack fails, and what waits at a hook stays where it is."""

    def remove(connection: Connection, stack_id: str, kept: Iterable[int]) -> None:
        kept = list(kept)
        waiting = [node for node in nodes_of(connection, stack_id) if node.is_paused]
        remove_unbegun_nodes(connection, stack_id, kept)
        insert_nodes(connection, [node for node in waiting if node.id not in kept])

    patch.setattr(end, "remove_unbegun_nodes", remove)


def work_has_begun_at_the_hook(patch: Patch) -> None:
    """The version says that its action has begun, and then the node comes to the hook before it."""

    def wait(self: CheckedNode, action: Action) -> None:
        hook = hooks.hook_before(self.bound, self.claim, action)
        if hook is not None:
            Actions(self).mark_begun(action)
            raise hooks.AtHook(hook)

    patch.setattr(CheckedNode, "wait_at_hook", wait)


HOOK_DEFECTS: tuple[Defect, ...] = (
    clearing_wakes_nobody,
    newer_traversals_wait_for_hooks,
    failing_leaves_what_waits,
    work_has_begun_at_the_hook,
)
