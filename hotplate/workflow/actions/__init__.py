"""What tasks of workflows can do in the world: the std actions, and what guards them."""

from hotplate.workflow.actions.action import REQUIRED, Action, Caller, Pause
from hotplate.workflow.actions.addresses import Reach, is_public
from hotplate.workflow.actions.registry import Actions
from hotplate.workflow.actions.settings import ActionSettings

__all__ = [
    "REQUIRED",
    "Action",
    "ActionSettings",
    "Actions",
    "Caller",
    "Pause",
    "Reach",
    "is_public",
]
