"""Dependencies and the order they impose. Pure; knows nothing of templates or clouds."""

from hotplate.graph.edgeless import graph_of
from hotplate.graph.errors import CycleError, GraphError, UnknownNodeError
from hotplate.graph.graph import Graph

__all__ = ["CycleError", "Graph", "GraphError", "UnknownNodeError", "graph_of"]
