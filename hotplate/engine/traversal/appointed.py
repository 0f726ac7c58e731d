"""The coordinator of a large traversal, as a worker has it in hand."""

from dataclasses import dataclass

from hotplate.model import Node, Stack


@dataclass(frozen=True, slots=True)
class Coordinator:
    """A coordinator that a worker has claimed, and its stack as it was then."""

    node: Node
    stack: Stack
