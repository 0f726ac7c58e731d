"""The facts the engine works with. Pure; the store keeps them, the plan reasons about them."""

from hotplate.model.records import (
    Action,
    Event,
    Node,
    NodeState,
    Relation,
    Snapshot,
    Stack,
    Status,
    Task,
    Version,
)
from hotplate.model.software import Input, Output, SoftwareConfig, SoftwareDeployment, ValueType

__all__ = [
    "Action",
    "Event",
    "Input",
    "Node",
    "NodeState",
    "Output",
    "Relation",
    "Snapshot",
    "SoftwareConfig",
    "SoftwareDeployment",
    "Stack",
    "Status",
    "Task",
    "ValueType",
    "Version",
]
