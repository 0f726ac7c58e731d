"""From a definition and an input to the row of a new run."""

from dataclasses import dataclass, field
from typing import Any

from hotplate.workflow.language import REQUIRED, Workflow
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.scope import Broken, Evaluation
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
    secrets: list[str] = field(default_factory=list, repr=False)
    parent: tuple[WorkflowRun, ActionRun] | None = None


def new_run(definition: Workflow, order: Order, tools: Tools) -> WorkflowRun:
    """Return a run in IDLE, ready for `Machine.begin`. Raises InvalidInput."""
    values, params = dict(order.values), dict(order.params)
    if order.parent is not None:
        params.update({k: v for k, v in values.items() if k not in definition.inputs})
        values = {k: v for k, v in values.items() if k in definition.inputs}
    _check_names(definition, values)
    now = tools.now()
    run = WorkflowRun(
        id=order.run_id,
        workflow_name=definition.name,
        definition=definition.text,
        workflow_id=order.workflow_id,
        namespace=order.namespace,
        workbook=definition.workbook,
        project=order.project,
        description=order.description,
        input={**{k: v for k, v in definition.inputs.items() if v is not REQUIRED}, **values},
        params=params,
        secrets=order.secrets,
        created_at=now,
        updated_at=now,
    )
    if order.parent is not None:
        _inherit(run, *order.parent, tools)
    if definition.reverse and params.get("task_name") not in definition.tasks:
        raise InvalidInput(
            f"the workflow {definition.name} is reverse: the parameter task_name must name one of "
            "its tasks"
        )
    try:
        _evaluate(run, definition, tools)
    except Broken as broken:
        raise InvalidInput(f"the workflow {definition.name} cannot begin: {broken}") from None
    return run


def _check_names(definition: Workflow, values: dict[str, Any]) -> None:
    missing = [
        name
        for name, default in definition.inputs.items()
        if default is REQUIRED and name not in values
    ]
    unexpected = [str(name)[:80] for name in values if name not in definition.inputs]
    faults = [
        f"{what}={names[:20]}"
        for what, names in (("missing", missing), ("unexpected", unexpected))
        if names
    ]
    if faults:
        raise InvalidInput(f"Invalid input of workflow {definition.name}: {', '.join(faults)}")


def _inherit(run: WorkflowRun, parent: WorkflowRun, action: ActionRun, tools: Tools) -> None:
    run.root_id = parent.root_id or parent.id
    run.parent_task_id = action.task_id
    run.parent_action_id = action.id
    run.index = action.index
    run.env = parent.env
    run.secrets = parent.secrets
    run.depth = parent.depth + 1
    run.project = parent.project
    run.namespace = run.namespace or parent.namespace
    run.description = run.description or "sub-workflow execution"
    if run.depth > tools.limits.depth:
        raise InvalidInput(
            f"sub-workflows are nested {run.depth} levels deep; {tools.limits.depth} are allowed"
        )


def _evaluate(run: WorkflowRun, definition: Workflow, tools: Tools) -> None:
    """Evaluate the environment and the vars, which may use it and the input."""
    evaluation = Evaluation(definition, Ledger(run, [], [], tools), tools)
    evaluation.weigh(run.input, "the input")
    evaluation.weigh(run.params, "the params")
    if run.root_id is None:
        env = run.params.get("env") or {}
        if not isinstance(env, dict):
            raise Broken("the parameter env must be a map")
        run.env = env
        if run.params.get("evaluate_env", True):
            run.env = evaluation.of_run(env, {})
        evaluation.weigh(run.env, "the environment")
    run.globals = evaluation.of_run(definition.vars, {})
    evaluation.weigh(run.globals, "the vars")
