"""Running workflows: durably, in any number of processes, with what starts and bounds them."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.workflow.engine.definitions import Definitions, Place
    from hotplate.workflow.engine.library import read_time, written_time
    from hotplate.workflow.engine.operations import Wanted, Workflows
    from hotplate.workflow.engine.refusals import FlowRefused, Forbidden, Taken, Unknown
    from hotplate.workflow.engine.settings import FlowSettings
    from hotplate.workflow.engine.sub_executions import Depth, below_execution, below_task

__all__ = [
    "Definitions",
    "Depth",
    "FlowRefused",
    "FlowSettings",
    "Forbidden",
    "Place",
    "Taken",
    "Unknown",
    "Wanted",
    "Workflows",
    "below_execution",
    "below_task",
    "read_time",
    "written_time",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "definitions": ("Definitions", "Place"),
        "library": ("read_time", "written_time"),
        "operations": ("Wanted", "Workflows"),
        "refusals": ("FlowRefused", "Forbidden", "Taken", "Unknown"),
        "settings": ("FlowSettings",),
        "sub_executions": ("Depth", "below_execution", "below_task"),
    },
)
