"""A graph whose nodes have nothing to do with each other, as those of a large group."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from hotplate.graph.graph import Graph, NodeT


class EdgelessGraph(Graph[NodeT]):
    """The same as a Graph without requirements; nothing is kept but the nodes as they are given."""

    __slots__ = ("_all",)

    def __init__(self, nodes: AbstractSet[NodeT]) -> None:
        # What a Graph would keep takes more memory than the nodes themselves.
        self._all = nodes

    def __reduce__(self) -> Any:
        return _restored, (tuple(self._all),)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[NodeT]:
        return iter(self._all)

    def __contains__(self, node: object) -> bool:
        return node in self._all

    def __repr__(self) -> str:
        return f"<Graph of {len(self._all)} nodes and 0 edges>"

    def edges(self) -> dict[NodeT, tuple[NodeT, ...]]:
        return {}

    def requires(self, node: NodeT) -> tuple[NodeT, ...]:
        return self._nothing_of(node)

    def required_by(self, node: NodeT) -> tuple[NodeT, ...]:
        return self._nothing_of(node)

    def requires_transitively(self, *nodes: NodeT) -> tuple[NodeT, ...]:
        return self._nothing_of(*nodes)

    def required_by_transitively(self, *nodes: NodeT) -> tuple[NodeT, ...]:
        return self._nothing_of(*nodes)

    def leaves(self) -> tuple[NodeT, ...]:
        return tuple(self._all)

    def roots(self) -> tuple[NodeT, ...]:
        return tuple(self._all)

    def independent(self) -> AbstractSet[NodeT]:
        return self._all

    def order(self) -> tuple[NodeT, ...]:
        return tuple(self._all)

    def order_without(self, nodes: AbstractSet[NodeT]) -> tuple[NodeT, ...]:
        left = self._all - nodes
        if isinstance(left, set | frozenset):
            return tuple(node for node in self._all if node in left)
        return tuple(left)  # a kind of set that has an order

    def reverse_order(self) -> tuple[NodeT, ...]:
        return tuple(self._all)[::-1]

    def levels(self) -> tuple[tuple[NodeT, ...], ...]:
        return (tuple(self._all),) if self._all else ()

    def cycle(self) -> tuple[NodeT, ...]:
        return ()

    def subgraph(self, nodes: Iterable[NodeT]) -> Graph[NodeT]:
        return self._listed().subgraph(nodes)

    def extended(self, more: Mapping[NodeT, Iterable[NodeT]]) -> Graph[NodeT]:
        return self._listed().extended(more) if more else self

    def _listed(self) -> Graph[NodeT]:
        return Graph(dict.fromkeys(self._all, ()))

    def _nothing_of(self, *nodes: NodeT) -> tuple[NodeT, ...]:
        for node in nodes:
            if node not in self._all:
                raise KeyError(node)
        return ()


def graph_of(
    nodes: AbstractSet[NodeT], requirements: Mapping[NodeT, Iterable[NodeT]]
) -> Graph[NodeT]:
    """Return a graph of nodes, some of which require others. The nodes must not change."""
    if not any(requirements.values()):
        return EdgelessGraph(nodes)
    return Graph({**dict.fromkeys(nodes, ()), **requirements})


def _restored(nodes: tuple[NodeT, ...]) -> EdgelessGraph[NodeT]:
    return EdgelessGraph(dict.fromkeys(nodes).keys())
