"""What can be wrong with a graph."""

from collections.abc import Hashable, Sequence

# A cycle of many thousand nodes is possible; nobody reads more names of it than this.
_NAMES_AT_EACH_END = 8


class GraphError(Exception):
    """The graph asked for cannot exist, or has no order."""


class UnknownNodeError(GraphError):
    """A node requires a name that is no node of the graph."""

    def __init__(self, node: Hashable, required: Hashable) -> None:
        super().__init__(f"{node} requires {required}, which does not exist")
        self.node = node
        self.required = required


class CycleError(GraphError):
    """Nodes require each other in a circle, so none of them can come first.

    `path` holds every node of the circle; its first node stands again at the end. The message
    leaves out the middle of a very long circle, `path` never does.
    """

    def __init__(self, path: Sequence[Hashable]) -> None:
        super().__init__(
            f"dependency cycle: {_chain(path)}; remove one of these references",
        )
        self.path = tuple(path)


def _chain(path: Sequence[Hashable]) -> str:
    left_out = len(path) - 2 * _NAMES_AT_EACH_END
    names = [str(node) for node in path]
    if left_out > 1:
        names[_NAMES_AT_EACH_END:-_NAMES_AT_EACH_END] = [f"({left_out} others)"]
    return " requires ".join(names)
