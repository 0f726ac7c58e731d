"""Requirements that are given up where they would close a cycle.

A node is its position in insertion order, as in `order`.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from hotplate.graph.order import Positions


def kept_without_cycles(
    hard: Positions, soft: Sequence[set[int]], unplaced: set[int]
) -> list[set[int]]:
    """Return of the soft requirements those that together with all hard ones close no cycle.

    The hard ones alone must have none. ``unplaced`` are the nodes that no order could place with
    all of both. Soft requirements that are on no cycle stay. Among nodes that require each other in
    a circle, the first inserted one gives its soft ones up of all whose hard ones are placed. The
    same graph gives the same answer, in a time that is linear but for the logarithm of a heap.
    """
    circle_of: dict[int, int] = {}
    both = [{*hard[node], *soft[node]} for node in range(len(hard))]
    for number, members in enumerate(_circles(both, unplaced)):
        circle_of.update(dict.fromkeys(members, number))

    def same_circle(node: int, other: int) -> bool:
        return node in circle_of and circle_of[node] == circle_of.get(other)

    kept = [set(each) for each in soft]
    waits: dict[int, set[int]] = {}
    wanted: dict[int, set[int]] = {}
    for node in circle_of:
        waits[node] = {other for other in hard[node] if same_circle(node, other)}
        wanted[node] = {other for other in soft[node] if same_circle(node, other)} - waits[node]
        if node in kept[node]:
            kept[node].discard(node)
            wanted[node].discard(node)
    _place(waits, wanted, kept)
    return kept


def _place(waits: dict[int, set[int]], wanted: dict[int, set[int]], kept: list[set[int]]) -> None:
    """Place all nodes; those that must be placed before what they want give that up."""
    followers: dict[int, list[int]] = {node: [] for node in waits}
    for node, required in waits.items():
        for other in (*required, *wanted[node]):
            followers[other].append(node)
    ready = [node for node in waits if not waits[node] and not wanted[node]]
    forced = [node for node in waits if not waits[node] and wanted[node]]
    heapify(ready)
    heapify(forced)
    placed: set[int] = set()
    while ready or forced:
        node = heappop(ready or forced)
        if node in placed:
            continue
        placed.add(node)
        kept[node] -= wanted[node]
        for follower in followers[node]:
            if follower not in placed:
                waits[follower].discard(node)
                wanted[follower].discard(node)
                if not waits[follower]:
                    heappush(forced if wanted[follower] else ready, follower)


def _circles(requires: Sequence[set[int]], nodes: set[int]) -> Iterator[list[int]]:
    """Yield the groups of nodes that reach each other: the strongly connected components.

    Tarjan's algorithm without recursion. A node alone is one only if it requires itself.
    """
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    path: list[int] = []
    visits: list[tuple[int, Iterator[int]]] = []

    def enter(node: int) -> None:
        number[node] = lowest[node] = len(number)
        path.append(node)
        visits.append((node, iter(sorted(requires[node] & nodes))))

    done: set[int] = set()
    for start in sorted(nodes):
        if start not in number:
            enter(start)
        while visits:
            node, rest = visits[-1]
            other = next(rest, None)
            if other is None:
                visits.pop()
                if visits:
                    before = visits[-1][0]
                    lowest[before] = min(lowest[before], lowest[node])
                if lowest[node] == number[node]:
                    members = _cut(path, node)
                    done.update(members)
                    if len(members) > 1 or node in requires[node]:
                        yield members
            elif other not in number:
                enter(other)
            elif other not in done:
                lowest[node] = min(lowest[node], number[other])


def _cut(path: list[int], node: int) -> list[int]:
    """Take the end of the path off, from the node on."""
    members = [path.pop()]
    while members[-1] != node:
        members.append(path.pop())
    return members
