"""From a definition and an input to the row of a new run."""

from dataclasses import dataclass, field
from typing import Any

from hotplate.workflow.language import Workflow
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.model import ActionRun, WorkflowRun


class InvalidInput(Exception):
    """A run cannot begin: input is missing, unknown or too large, or a parameter is wrong."""


@dataclass(frozen=True, slots=True)
class Order:
    """Who wants a workflow to run, and with what.

    ``params["env"]`` must be a map: who keeps stored environments puts the variables in place of
    the name. With a ``parent`` (its run, and the action run that stands for the child), values
    that the workflow does not declare become params, and the environment is the root's.
    """

    run_id: str
    values: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    workflow_id: str = ""
    namespace: str = ""
    project: str = ""
    description: str = ""
    parent: tuple[WorkflowRun, ActionRun] | None = None


def new_run(definition: Workflow, order: Order, tools: Tools) -> WorkflowRun:
    """Return a run in IDLE, ready for `Machine.begin`. Raises InvalidInput."""
    raise NotImplementedError
