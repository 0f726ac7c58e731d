"""Dependencies and the order they impose. Pure; knows nothing of templates or clouds."""

from hotplate.graph.errors import CycleError, GraphError, UnknownNodeError
from hotplate.graph.graph import Graph

__all__ = ["CycleError", "Graph", "GraphError", "UnknownNodeError"]
