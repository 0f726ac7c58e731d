"""How the check of a node can come to an end before its work is done."""

from collections.abc import Sequence
from typing import Final

from hotplate.engine import status_texts
from hotplate.engine.storable import storable_text
from hotplate.engine.world import ServiceMissing
from hotplate.model import ReasonCode
from hotplate.plan.decide import Decision
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed
from hotplate.template import ResolveError


class NotAtOnce(Exception):
    """The work cannot be done in line. Raised before anything has been changed."""


class ClaimLost(Exception):
    """Another worker has the node now. Stop, and call no provider."""


class InDoubt(ResourceFailed):
    """A call ended in a way that does not tell whether it had an effect."""


class Stopped(ResourceFailed):
    """The work was ended for a cause that is not its own."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "ResourceFailed")


class Restricted(ResourceFailed):
    """The environment forbids what would have to be done. Nothing has been touched."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "ResourceActionRestricted")


class NestedStackFailed(ResourceFailed):
    """Something in the nested stack has failed; each failure in its own words."""

    def __init__(self, failures: Sequence[str], is_stopped: bool) -> None:
        super().__init__("; ".join(failures))
        self.failures = failures
        self.is_stopped = is_stopped


FAULTS: Final = (ResourceFailed, ResolveError, BadProperty, UnknownType, ServiceMissing)
"""What makes a resource fail, and no more than that."""


def refusal(decision: Decision) -> ResourceFailed:
    """Return why a resource cannot become what is wanted."""
    if decision.restricted is not None:
        return Restricted(decision.reason)
    return ResourceFailed(decision.reason)


def code_of(error: Exception) -> ReasonCode:
    """Return the code of the reason that `reason_of` gives."""
    is_stopped = isinstance(error, Stopped)
    if isinstance(error, NestedStackFailed):
        is_stopped = error.is_stopped
    return ReasonCode.ABORTED if is_stopped else ReasonCode.NONE


def reason_of(name: str, error: Exception) -> str:
    """Return the reason of a resource that an error made fail, so that it can be stored."""
    return storable_text(_reason_of(name, error))


def _reason_of(name: str, error: Exception) -> str:
    if isinstance(error, NestedStackFailed):
        return status_texts.failure_inside(name, error.failures)
    if isinstance(error, BadProperty) and error.path:
        place = ".".join(["Properties", *map(str, error.path)])
        return status_texts.failure(
            name, "StackValidationFailed", f"Property error: {place}: {error}"
        )
    class_name = error.error if isinstance(error, ResourceFailed) else type(error).__name__
    return status_texts.failure(name, class_name, str(error))
