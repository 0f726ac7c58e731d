"""The names that lead to versions in a tree of stacks."""

from collections.abc import Sequence
from typing import Any


class TreePaths:
    """Rows of a tree, the holders of its stacks among them, and the way to each."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._holders = {row.id: row for row in rows}

    def way(self, row: Any) -> list[Any]:
        """Return the rows that lead to one, the outermost first, itself last."""
        steps = [row]
        while row.owner in self._holders:
            row = self._holders[row.owner]
            steps.append(row)
        return steps[::-1]
