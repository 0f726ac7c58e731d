"""A directed graph of nodes and what each of them requires."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Generic, TypeVar

from hotplate.graph.cycle import find_cycle
from hotplate.graph.errors import CycleError, UnknownNodeError
from hotplate.graph.order import first_ready_order, levels_of
from hotplate.graph.soft import kept_without_cycles

NodeT = TypeVar("NodeT", bound=Hashable)


class Graph(Generic[NodeT]):
    """Which node requires which; immutable, so it may be shared between threads.

    Built from a mapping of each node to the nodes it requires; a node that is required but is no
    key of the mapping is an UnknownNodeError. Requiring the same node twice counts once.

    Cycles are allowed until an order is asked for: the methods that need one raise CycleError.
    Everything returned is deterministic: nodes come in the order in which they were inserted,
    also where sets were given. Looking up a node that is not in the graph is a KeyError.
    """

    __slots__ = ("_nodes", "_position", "_required_by", "_requires")

    def __init__(self, requirements: Mapping[NodeT, Iterable[NodeT]]) -> None:
        # Most nodes of a large graph have nothing to do with others.
        position = dict(zip(requirements, range(len(requirements)), strict=True))
        requires: list[Sequence[int]] = [()] * len(position)
        required_by: dict[int, list[int]] = {}
        for node, required_nodes in requirements.items():
            if not required_nodes:
                continue
            index = position[node]
            required_positions: set[int] = set()
            for required in required_nodes:
                if required not in position:
                    raise UnknownNodeError(node, required)
                required_positions.add(position[required])
            for required_position in required_positions:
                required_by.setdefault(required_position, []).append(index)
            requires[index] = sorted(required_positions)
        self._nodes = tuple(requirements)
        self._position = position
        self._requires = requires
        self._required_by: list[Sequence[int]] = [()] * len(position)
        for index, dependants in required_by.items():
            self._required_by[index] = dependants

    def __reduce__(self) -> Any:
        # Most nodes of a large graph require nothing, and where they stand follows from the rest.
        return _restored, (self._nodes, self.edges())

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[NodeT, NodeT]], nodes: Iterable[NodeT] = ()
    ) -> "Graph[NodeT]":
        """Build from pairs (node, what it requires); `nodes` adds those without any edge.

        The nodes of `nodes` are inserted first, the others as they appear in the edges.
        """
        requirements: dict[NodeT, list[NodeT]] = {node: [] for node in nodes}
        for node, required in edges:
            requirements.setdefault(node, []).append(required)
            requirements.setdefault(required, [])
        return cls(requirements)

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[NodeT]:
        return iter(self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._position

    def __repr__(self) -> str:
        edges = sum(map(len, self._requires))
        return f"<Graph of {len(self._nodes)} nodes and {edges} edges>"

    def edges(self) -> dict[NodeT, tuple[NodeT, ...]]:
        """The nodes that require something, with what they require."""
        nodes = self._nodes
        return {
            nodes[place]: self._names(each) for place, each in enumerate(self._requires) if each
        }

    def requires(self, node: NodeT) -> tuple[NodeT, ...]:
        """The nodes that must come before this one, direct ones only."""
        return self._names(self._requires[self._position[node]])

    def required_by(self, node: NodeT) -> tuple[NodeT, ...]:
        """The nodes that must come after this one, direct ones only."""
        return self._names(self._required_by[self._position[node]])

    def requires_transitively(self, *nodes: NodeT) -> tuple[NodeT, ...]:
        """All that these nodes require, directly or through others.

        A node given is itself among them only if another one given, or a cycle, requires it.
        """
        return self._names(self._reachable(nodes, self._requires))

    def required_by_transitively(self, *nodes: NodeT) -> tuple[NodeT, ...]:
        """All that require one of these nodes, directly or through others.

        A node given is itself among them only if it requires another one given, or itself.
        """
        return self._names(self._reachable(nodes, self._required_by))

    def leaves(self) -> tuple[NodeT, ...]:
        """The nodes that require nothing: where a traversal begins."""
        return tuple(
            node for node, required in zip(self._nodes, self._requires, strict=True) if not required
        )

    def roots(self) -> tuple[NodeT, ...]:
        """The nodes that nothing requires: when all of them are done, everything is."""
        return tuple(
            node
            for node, dependants in zip(self._nodes, self._required_by, strict=True)
            if not dependants
        )

    def independent(self) -> AbstractSet[NodeT]:
        """The nodes that require nothing and that nothing requires."""
        if not any(self._requires):
            return frozenset(self._nodes)
        return frozenset(
            node
            for node, required, dependants in zip(
                self._nodes, self._requires, self._required_by, strict=True
            )
            if not required and not dependants
        )

    def order(self) -> tuple[NodeT, ...]:
        """Every node after all it requires; among those that may come next, the first inserted.

        A graph whose nodes were inserted in a valid order keeps that order.
        """
        return self._names(self._order())

    def order_without(self, nodes: AbstractSet[NodeT]) -> tuple[NodeT, ...]:
        """The same without some of the nodes."""
        return tuple(node for node in self.order() if node not in nodes)

    def reverse_order(self) -> tuple[NodeT, ...]:
        """`order` backwards: every node before all it requires, as deletion needs it."""
        return self._names(reversed(self._order()))

    def levels(self) -> tuple[tuple[NodeT, ...], ...]:
        """Groups of nodes that may run side by side once all earlier groups are done."""
        return tuple(self._names(level) for level in levels_of(self._requires, self._order()))

    def cycle(self) -> tuple[NodeT, ...]:
        """The nodes of a cycle, the first repeated at the end; empty if there is none."""
        placed = first_ready_order(self._requires, self._required_by)
        return self._cycle_beside(placed) if len(placed) < len(self._nodes) else ()

    def subgraph(self, nodes: Iterable[NodeT]) -> "Graph[NodeT]":
        """These nodes with the requirements among them, in the insertion order of this graph."""
        kept = {self._position[node] for node in nodes}
        return Graph(
            {
                self._nodes[position]: self._names(
                    required for required in self._requires[position] if required in kept
                )
                for position in sorted(kept)
            }
        )

    def extended(self, more: Mapping[NodeT, Iterable[NodeT]]) -> "Graph[NodeT]":
        """This graph with more requirements, except those that would close a cycle.

        This graph must have none. Nothing that it says is given up, and of the others only what
        is on a cycle; which of several, is the same for the same graphs.
        """
        if not more:
            return self
        soft: list[set[int]] = [set() for _ in self._nodes]
        for node, required in more.items():
            soft[self._position[node]].update(self._position[other] for other in required)
        wider = self._with(soft)
        placed = first_ready_order(wider._requires, wider._required_by)
        if len(placed) == len(self._nodes):
            return wider
        unplaced = set(range(len(self._nodes))).difference(placed)
        return self._with(kept_without_cycles(self._requires, soft, unplaced))

    def _with(self, soft: Sequence[set[int]]) -> "Graph[NodeT]":
        return Graph(
            {
                node: self._names({*required, *more})
                for node, required, more in zip(self._nodes, self._requires, soft, strict=True)
            }
        )

    def _order(self) -> list[int]:
        placed = first_ready_order(self._requires, self._required_by)
        if len(placed) < len(self._nodes):
            raise CycleError(self._cycle_beside(placed))
        return placed

    def _cycle_beside(self, placed: Iterable[int]) -> tuple[NodeT, ...]:
        unplaced = set(range(len(self._nodes))).difference(placed)
        return self._names(find_cycle(self._requires, unplaced))

    def _names(self, positions: Iterable[int]) -> tuple[NodeT, ...]:
        nodes = self._nodes
        return tuple([nodes[position] for position in positions])

    def _reachable(self, nodes: Iterable[NodeT], neighbours: Sequence[Sequence[int]]) -> list[int]:
        to_visit = [self._position[node] for node in nodes]
        reached: set[int] = set()
        while to_visit:
            for neighbour in neighbours[to_visit.pop()]:
                if neighbour not in reached:
                    reached.add(neighbour)
                    to_visit.append(neighbour)
        return sorted(reached)


def _restored(nodes: Sequence[NodeT], edges: Mapping[NodeT, Sequence[NodeT]]) -> Graph[NodeT]:
    return Graph({**dict.fromkeys(nodes, ()), **edges})
