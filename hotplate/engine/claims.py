"""Taking nodes into one's hands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from hotplate.engine import words
from hotplate.model import Action, Node, NodeState, Stack, Status, Version
from hotplate.store.nodes import claim, lock_nodes
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions

_BACK: Final = frozenset((Action.ROLLBACK, Action.RESTORE))


@dataclass(slots=True)
class Claim:
    """A node in this worker's hands. Every later write names its generation.

    ``stack`` is as it was when the claim was made; ``is_current`` tells whether the node belonged
    to the stack's newest traversal then.
    """

    node: Node
    version: Version
    stack: Stack
    is_going_back: bool = False
    """Whether the stack, or the tree it is in, goes back to what it was; told where it matters:
    of versions whose objects are somebody else's."""

    @property
    def is_current(self) -> bool:
        """Whether the node still belonged to the newest traversal."""
        return self.node.sequence == self.stack.sequence

    @property
    def is_wanted(self) -> bool:
        """Whether anybody wants the work to go on: not if its stack was stopped or is undone."""
        stack = self.stack
        if self.is_current or stack.action in (Action.DELETE, Action.ROLLBACK):
            return self.is_current
        stopped = (words.TIMED_OUT, words.cancelled(stack.action))
        return stack.status is not Status.FAILED or stack.reason not in stopped


def claim_nodes(connection: Connection, ids: Sequence[int], worker_id: int) -> list[Claim]:
    """Claim those of the nodes that are ready; the others are somebody else's or gone."""
    found = lock_nodes(connection, ids)
    ready = [node for node in found.values() if node.state is NodeState.READY]
    if not ready:
        return []
    claim(connection, [node.id for node in ready], worker_id)
    stacks = read_stacks(connection, {node.stack_id for node in ready})
    versions = read_versions(connection, {node.version_id for node in ready})
    roots = _roots(connection, stacks, versions)
    claims = []
    for node in ready:
        node.state = NodeState.CLAIMED
        node.generation += 1
        node.worker = worker_id
        stack, version = stacks[node.stack_id], versions[node.version_id]
        root = roots.get(stack.root_id, stack)
        is_going_back = version.is_external and not _BACK.isdisjoint((stack.action, root.action))
        claims.append(Claim(node, version, stack, is_going_back))
    return claims


def _roots(
    connection: Connection, stacks: Mapping[str, Stack], versions: Mapping[int, Version]
) -> dict[str, Stack]:
    """Return the outermost stacks of those versions whose objects are somebody else's.

    A stack inside does not know that it is told to go back: for it that is an update.
    """
    nested = {
        stacks[version.stack_id].root_id
        for version in versions.values()
        if version.is_external and stacks[version.stack_id].depth
    }
    return read_stacks(connection, nested) if nested else {}
