"""Why a request about workflows is not carried out, in the words that Mistral's clients read."""


class FlowRefused(Exception):
    """The request cannot be carried out as things stand. Nothing has been changed."""


class Unknown(FlowRefused):
    """There is no such thing in the project."""


class Taken(FlowRefused):
    """The name is in use."""


class Wrong(FlowRefused):
    """The request makes no sense, or not in the state that things are in."""


class Forbidden(FlowRefused):
    """The request makes sense, but is not allowed."""


def no_workflow(name: str, namespace: str = "") -> Unknown:
    """Return the refusal for a workflow that is not there."""
    return Unknown(f"Workflow not found [workflow_identifier={name}, namespace={namespace}]")


def no_execution(execution_id: str) -> Unknown:
    """Return the refusal for an execution that is not there."""
    return Unknown(f"WorkflowExecution not found [id={execution_id}]")


def limit_reached(what: str, most: int) -> Forbidden:
    """Return the refusal for one thing more than the operator allows."""
    return Forbidden(
        f"The project has reached the maximum of {most} {what}; delete some that are no longer "
        "needed, or ask the operator"
    )
