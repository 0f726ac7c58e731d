"""The facts the engine works with. Pure; the store keeps them, the plan reasons about them."""

from hotplate.model.records import (
    Action,
    Event,
    Node,
    NodeState,
    Snapshot,
    Stack,
    Status,
    Task,
    Version,
)

__all__ = ["Action", "Event", "Node", "NodeState", "Snapshot", "Stack", "Status", "Task", "Version"]
