"""Trees of executions that stay in memory between two steps; others are read again."""

from collections import OrderedDict
from typing import Final

from hotplate.workflow.engine.tree import Tree

_MOST_TREES: Final = 512
_MOST_CHARACTERS: Final = 128_000_000
"""Of all trees together."""


class KeptTrees:
    """By the id of their root. Those that were opened longest ago are the first to go."""

    def __init__(
        self, most_trees: int = _MOST_TREES, most_characters: int = _MOST_CHARACTERS
    ) -> None:
        self._trees: OrderedDict[str, Tree] = OrderedDict()
        self._most_trees = most_trees
        self._most_characters = most_characters

    def __len__(self) -> int:
        return len(self._trees)

    def get(self, root_id: str) -> Tree | None:
        """Return a tree if it is here."""
        return self._trees.get(root_id)

    def add(self, tree: Tree) -> None:
        """Keep a tree; it is the last to go."""
        self._trees[tree.root_id] = tree
        self._trees.move_to_end(tree.root_id)
        self.make_room()

    def forget(self, root_id: str) -> None:
        """Let go of a tree: what is here may not be what is stored."""
        self._trees.pop(root_id, None)

    def make_room(self) -> None:
        """Let go of the oldest while there are too many or they have grown too large."""
        weight = sum(tree.weight for tree in self._trees.values())
        while len(self._trees) > 1 and (
            len(self._trees) > self._most_trees or weight > self._most_characters
        ):
            _, oldest = self._trees.popitem(last=False)
            weight -= oldest.weight
