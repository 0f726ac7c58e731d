"""What tasks of workflows can do in the world: the std actions, and what guards them."""

from hotplate.actions.action import REQUIRED, Action, Caller, Pause
from hotplate.actions.addresses import Reach, is_public
from hotplate.actions.registry import Actions
from hotplate.actions.settings import ActionSettings

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
