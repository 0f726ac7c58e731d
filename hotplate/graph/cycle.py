"""Finding the path that closes a cycle.

A node is its position in insertion order, as in `order`.
"""

from collections import deque
from collections.abc import Collection

from hotplate.graph.order import Positions


def find_cycle(requires: Positions, unplaced: Collection[int]) -> list[int]:
    """A cycle among the nodes that no order could place, its first node repeated at the end.

    Each unplaced node must require another unplaced node, or itself; they are what remains of a
    graph after ordering. The same graph gives the same cycle, starting at its first inserted node.
    It is the shortest one through some node, not necessarily the shortest of the graph: finding
    that would cost more than the linear time spent here.
    """
    remaining = set(unplaced)
    some_cycle = _walk_until_repeated(requires, remaining)
    path = _shortest_through(min(some_cycle), requires, remaining)
    first = path.index(min(path))
    return [*path[first:], *path[: first + 1]]


def _walk_until_repeated(requires: Positions, remaining: set[int]) -> list[int]:
    """Follow first requirements until a node comes up again; return the nodes of that circle."""
    node = min(remaining)
    step_of: dict[int, int] = {}
    walked: list[int] = []
    while node not in step_of:
        step_of[node] = len(walked)
        walked.append(node)
        node = next(required for required in requires[node] if required in remaining)
    return walked[step_of[node] :]


def _shortest_through(start: int, requires: Positions, remaining: set[int]) -> list[int]:
    """The fewest nodes that lead from start back to it; start must lie on a cycle."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while start not in came_from:
        node = queue.popleft()
        for required in requires[node]:
            if required in remaining and required not in came_from:
                came_from[required] = node
                queue.append(required)
    path = [came_from[start]]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    path.reverse()
    return path
