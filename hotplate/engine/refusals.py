"""Why a request is not carried out: a small family, in the words that existing clients read.

The text of each is what Heat says. What to do next, where Heat does not say it, is the ``hint``.
"""

from collections.abc import Iterable
from enum import Enum

from hotplate.model import Stack


class Entity(Enum):
    """What can be asked for and not exist; the value is its name in messages."""

    STACK = "Stack"
    RESOURCE = "Resource"
    RESOURCE_TYPE = "Resource Type"
    OBJECT = "Object"
    SNAPSHOT = "Snapshot"
    EVENT = "Event"
    SOFTWARE_CONFIG = "Software config"
    SOFTWARE_DEPLOYMENT = "Deployment"


class Refused(Exception):
    """The request cannot be carried out as things stand. Nothing has been changed."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


class NotFound(Refused):
    """There is no such thing; of a resource or a snapshot ``stack`` says where there is none."""

    def __init__(self, entity: Entity, name: str, stack: str = "") -> None:
        self.entity = entity
        self.name = name
        self.stack = stack
        text = f"The {entity.value} ({name}) could not be found."
        if entity is Entity.RESOURCE and stack:
            text = f"The Resource ({name}) could not be found in Stack {stack}."
        elif entity is Entity.SNAPSHOT and stack:
            text = f"The Snapshot ({name}) for Stack ({stack}) could not be found."
        elif entity in (Entity.SOFTWARE_CONFIG, Entity.SOFTWARE_DEPLOYMENT):
            text = f"{entity.value} with id {name} not found"
        super().__init__(text)


class AlreadyExists(Refused):
    """The name of a stack is taken."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"The Stack ({name}) already exists.", "choose another name, or update that stack"
        )


class ActionInProgress(Refused):
    """The stack is busy; the same request may be accepted later."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack.name
        self.action = stack.action
        super().__init__(
            f"Stack {stack.name} already has an action ({stack.action.value}) in progress.",
            "wait until it has ended",
        )


class NotSupported(Refused):
    """The request makes no sense in the state that things are in; waiting does not help."""

    def __init__(self, feature: str, hint: str = "") -> None:
        self.feature = feature
        super().__init__(f"{feature} is not supported.", hint)


class BadHook(Refused):
    """There is no such hook, or the resource does not wait at it."""


class Moved(Refused):
    """The stack is not in the state any more in which the caller saw it."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack.name
        super().__init__(
            f"Stack {stack.name} has begun another operation since it was looked at.",
            "look at it again, then decide",
        )


class StillUsed(Refused):
    """A software config that deployments refer to cannot be deleted."""

    def __init__(self, config_id: str, deployments: int) -> None:
        super().__init__(
            f"Software config with id {config_id} can not be deleted as it is referenced.",
            f"delete its deployments first; there are {deployments}",
        )


class ImmutableChanged(Refused):
    """An update would change parameters that the template declares immutable."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(
            "The following parameters are immutable and may not be updated: " + ", ".join(names)
        )


class TooManyResources(Refused):
    """A stack would have more resources, nested stacks included, than the operator allows."""

    def __init__(self, number: int, most: int) -> None:
        super().__init__(
            "Request limit exceeded: Maximum resources per stack exceeded.",
            f"it would have {number}, and {most} are allowed; make it smaller, or several of it",
        )


class LimitReached(Refused):
    """A project has as many of something as the operator allows."""

    def __init__(self, what: str, most: int) -> None:
        super().__init__(
            f"Request limit exceeded: the project has reached the maximum of {most} {what}.",
            "delete some that are no longer needed",
        )
