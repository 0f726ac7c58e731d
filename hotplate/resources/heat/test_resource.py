"""OS::Heat::TestResource."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.resources.capabilities import Adoptable, Checkable, StopsWork
from hotplate.resources.cookie import Cookie
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Creation,
    Done,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)
from hotplate.resources.support import Support
from hotplate.template.constraint import CustomConstraint


@dataclass(frozen=True, slots=True)
class _Waiting(Cookie):
    until: float | None
    """None for ever."""


def _seconds(description: str, default: float | None = 0) -> Property:
    return Property(PropertyKind.NUMBER, default=default, updatable=True, description=description)


class TestResource(Checkable, Adoptable, StopsWork):
    """Does what a test wants: waits, fails, wants to be replaced.

    Some properties of Heat are taken and have no effect: they slow down the reading of attributes
    and the checking of constraints, which here nobody waits for, and poll a service meanwhile.
    Nothing goes on while it is created or updated but the wait itself, so that ends as soon as
    nobody wants its result.
    """

    __test__ = False

    name = "OS::Heat::TestResource"
    support = Support(version="5.0.0")
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "constraint_prop_secs": Property(
            PropertyKind.NUMBER,
            default=0,
            updatable=True,
            constraints=(CustomConstraint("test_constr"),),
            description="has no effect",
        ),
        "attr_wait_secs": _seconds("has no effect"),
        "value": Property(default="test_string", updatable=True, description="a text to keep"),
        "update_replace_value": Property(description="any change of it replaces the resource"),
        "fail": Property(
            PropertyKind.BOOLEAN,
            default=False,
            updatable=True,
            description="whether creating and updating end in failure",
        ),
        "update_replace": Property(
            PropertyKind.BOOLEAN,
            default=False,
            updatable=True,
            description="whether a change of value replaces the resource",
        ),
        "wait_secs": _seconds("how long every action takes; -1 for ever"),
        "action_wait_secs": Property(
            PropertyKind.MAP,
            updatable=True,
            schema={
                "create": _seconds("how long creating takes instead", None),
                "update": _seconds("how long an update of value takes instead", None),
                "delete": _seconds("how long deleting takes instead", None),
            },
        ),
        "client_name": Property(default="", updatable=True, description="has no effect"),
        "entity_name": Property(default="", updatable=True, description="has no effect"),
    }
    attributes = {"output": "the text that is kept"}

    async def create(self, resource: Resource) -> Result:
        fails = resource.properties["fail"]
        physical_id = None if fails else resource.physical_id or resource.physical_name
        waiting = _wait(resource, "create", physical_id)
        if waiting is not None:
            return waiting
        if fails:
            raise _failure(resource)
        return _keeping(resource.properties["value"], physical_id)

    async def adopt(self, resource: Resource) -> Result:
        return Done(attributes={"output": resource.properties["value"]})

    async def update(self, resource: Resource) -> Result:
        value = resource.properties["value"]
        # An empty text counts as no change, as in Heat.
        changes = bool(value) and value != resource.old_properties.get("value")
        waiting = _wait(resource, "update") if changes else None
        if waiting is not None:
            return waiting
        if resource.properties["fail"]:
            raise _failure(resource)
        return _keeping(value) if changes else Done()

    async def delete(self, resource: Resource) -> Result:
        return _wait(resource, "delete") or Done()

    async def check(self, resource: Resource) -> Result:
        if resource.physical_id is None:
            raise ResourceFailed("Resource not created")
        return Done()

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if new["update_replace"] and old["value"] != new["value"]:
            return "value changes and update_replace is set"
        return ""


def _failure(resource: Resource) -> ResourceFailed:
    return ResourceFailed(f"Test Resource failed {resource.name}", "ValueError")


def _keeping(value: str, physical_id: str | None = None) -> Done:
    return Done(physical_id, attributes={"output": value})


def _wait(resource: Resource, action: str, physical_id: str | None = None) -> Wait | None:
    """Return what is still to be waited for, None if the time is over."""
    waiting = _Waiting.from_data(resource.cookie)
    if waiting is not None and action != "delete" and not resource.is_wanted:
        return Wait(waiting.as_data(), None)  # without an end, so that the engine ends it
    if waiting is None:
        seconds = (resource.properties["action_wait_secs"] or {}).get(action)
        if seconds is None:
            seconds = resource.properties["wait_secs"]
        if seconds < 0:
            return Wait(_Waiting(None).as_data(), None, physical_id)
        until = resource.world.now() + seconds
    elif waiting.until is None:
        return Wait(waiting.as_data(), None)
    else:
        until = waiting.until
    left = until - resource.world.now()
    return Wait(_Waiting(until).as_data(), left, physical_id) if left > 0 else None
