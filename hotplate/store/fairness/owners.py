"""Whose the stacks are whose nodes were made ready in this process, or were in hand in it."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from contextvars import copy_context
from typing import Final

from hotplate.store.fairness.fair_queue import project_of

_MOST: Final = 10_000
"""Stacks of which it is remembered."""


class Owners:
    """Remembers the projects of stacks. A stack never goes to another project."""

    def __init__(self) -> None:
        self._projects: OrderedDict[int, str] = OrderedDict()

    def learn(self, node_ids: Iterable[int], project: str) -> None:
        """Note that nodes are of stacks of a project."""
        for stack in {node_id >> 32 for node_id in node_ids}:
            self._projects[stack] = project
            self._projects.move_to_end(stack)
        while len(self._projects) > _MOST:
            self._projects.popitem(last=False)

    def learn_of_caller(self, node_ids: Iterable[int]) -> None:
        """Note that nodes are of stacks of the project that this is done for, if for any."""
        project = project_of(copy_context())
        if project:
            self.learn(node_ids, project)

    def of(self, node_id: int) -> str:
        """Return whose the stack of a node is; empty if that is not known."""
        return self._projects.get(node_id >> 32, "")

    def of_stacks(self, stacks: Iterable[int]) -> dict[int, str]:
        """Return whose stacks are, by their numbers, as far as that is known."""
        return {each: self._projects[each] for each in stacks if each in self._projects}

    def line_of(self, token: Sequence[int]) -> Hashable:
        """Return the line in which a token waits to be claimed: projects take turns.

        A stack of which it is not known whose it is has a line of its own.
        """
        return self.of(token[0]) or token[0] >> 32
