"""The order in which nodes may run: what is required comes first.

Here a node is its position in insertion order: `requires[i]` holds the positions of the nodes that
node i requires.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

Positions = Sequence[Sequence[int]]


def first_ready_order(requires: Positions, required_by: Positions) -> list[int]:
    """Place, again and again, the first inserted node whose requirements are all placed.

    Nodes on a cycle, and those that require one of them, are left out: the caller compares the
    lengths. Costs O(edges + nodes log nodes); the logarithm is that of a heap of integers.
    """
    if not any(requires):
        return list(range(len(requires)))
    need = [len(required) for required in requires]
    ready = [node for node, count in enumerate(need) if count == 0]
    heapify(ready)
    placed = []
    while ready:
        node = heappop(ready)
        placed.append(node)
        for successor in required_by[node]:
            need[successor] -= 1
            if need[successor] == 0:
                heappush(ready, successor)
    return placed


def levels_of(requires: Positions, order: Sequence[int]) -> list[list[int]]:
    """Group an order by distance from the leaves.

    A node stands one level after the last of what it requires, and in insertion order among the
    nodes of its level.
    """
    level = [0] * len(requires)
    for node in order:
        level[node] = max((level[required] + 1 for required in requires[node]), default=0)
    levels: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for node, number in enumerate(level):
        levels[number].append(node)
    return levels
