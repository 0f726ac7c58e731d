"""The state machine over the rows of one run."""

from hotplate.workflow.machine.adhoc import Call, Find, InvalidCall, check_names
from hotplate.workflow.machine.beginning import InvalidInput, Order, new_run
from hotplate.workflow.machine.effects import (
    CancelAction,
    CancelChild,
    Effect,
    Ended,
    PauseChild,
    Paused,
    Perform,
    Result,
    ResumeChild,
    Resumed,
    StartChild,
    Step,
    WakeAt,
)
from hotplate.workflow.machine.machine import Machine, NotAllowed, Rows
from hotplate.workflow.machine.tools import Evaluator, Relatives, RunLimits, Tools

__all__ = [
    "Call",
    "CancelAction",
    "CancelChild",
    "Effect",
    "Ended",
    "Evaluator",
    "Find",
    "InvalidCall",
    "InvalidInput",
    "Machine",
    "NotAllowed",
    "Order",
    "PauseChild",
    "Paused",
    "Perform",
    "Relatives",
    "Result",
    "ResumeChild",
    "Resumed",
    "Rows",
    "RunLimits",
    "StartChild",
    "Step",
    "Tools",
    "WakeAt",
    "check_names",
    "new_run",
]
