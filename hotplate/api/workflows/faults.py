"""Answers of the workflow API that say no."""

from hotplate.api.http.faults import Fault, fault_of
from hotplate.document import InvalidDocument
from hotplate.workflow.engine import FlowRefused, Forbidden, Taken, Unknown


def workflow_fault_of(error: Exception) -> Fault | None:
    """Return the answer for what is refused; None for an unexpected error."""
    if isinstance(error, InvalidDocument):
        return Fault(400, f"Invalid DSL: {error}")
    if isinstance(error, FlowRefused):
        status = next(status for family, status in _STATUSES if isinstance(error, family))
        return Fault(status, str(error))
    return fault_of(error)


_STATUSES: tuple[tuple[type[FlowRefused], int], ...] = (
    (Unknown, 404),
    (Taken, 409),
    (Forbidden, 403),
    (FlowRefused, 400),
)
