"""The facts the engine works with. Pure; the store keeps them, the plan reasons about them."""

from hotplate.model.authority import Authority, AuthorityState
from hotplate.model.definition import NOT_APPLIED, Definition, EarlierFailure
from hotplate.model.records import Difference, Event, Node, Snapshot, Stack, Version
from hotplate.model.software import Input, Output, SoftwareConfig, SoftwareDeployment, ValueType
from hotplate.model.states import (
    COORDINATING,
    OURS,
    STOPPING,
    Action,
    NodeState,
    ReasonCode,
    Relation,
    Status,
    Task,
)

__all__ = [
    "COORDINATING",
    "NOT_APPLIED",
    "OURS",
    "STOPPING",
    "Action",
    "Authority",
    "AuthorityState",
    "Definition",
    "Difference",
    "EarlierFailure",
    "Event",
    "Input",
    "Node",
    "NodeState",
    "Output",
    "ReasonCode",
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
