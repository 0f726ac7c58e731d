"""OS::Heat::Delay."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.resources.capabilities import Suspendable
from hotplate.resources.cookie import Cookie
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result, Wait
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues, Range

ACTIONS = ("CREATE", "DELETE", "SUSPEND", "RESUME")
_FOREVER = 1e300
"""Seconds; of more there is no sum that can be stored."""


@dataclass(frozen=True, slots=True)
class _Waiting(Cookie):
    until: float


def _number(default: float, description: str) -> Property:
    return Property(
        PropertyKind.NUMBER,
        default=default,
        updatable=True,
        constraints=(Range(0, None),),
        description=description,
    )


class Delay(Suspendable):
    """Waits a while during chosen actions."""

    name = "OS::Heat::Delay"
    support = Support(version="11.0.0")
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "min_wait": _number(0, "seconds to wait at least"),
        "max_jitter": _number(0, "most that chance adds, in units of jitter_multiplier"),
        "jitter_multiplier": _number(1.0, "seconds in one unit of max_jitter"),
        "actions": Property(
            PropertyKind.LIST,
            default=["CREATE"],
            updatable=True,
            constraints=(AllowedValues(ACTIONS),),
            description="actions during which to wait",
        ),
    }

    async def create(self, resource: Resource) -> Result:
        return _wait(resource, "CREATE")

    async def delete(self, resource: Resource) -> Result:
        return _wait(resource, "DELETE")

    async def suspend(self, resource: Resource) -> Result:
        return _wait(resource, "SUSPEND")

    async def resume(self, resource: Resource) -> Result:
        return _wait(resource, "RESUME")

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        least, chance = _seconds(properties)
        if timeout is not None and least + chance > timeout:
            return f"{self.name} maximum delay {least + chance}s exceeds stack timeout."
        return ""


def _seconds(properties: Mapping[str, Any]) -> tuple[float, float]:
    """Return how long to wait at least, and what chance may add to it."""
    chance = properties["max_jitter"] * properties["jitter_multiplier"]
    return min(properties["min_wait"], _FOREVER), min(chance, _FOREVER)


def _wait(resource: Resource, action: str) -> Result:
    # Nothing is made that would have an id: get_resource gives the name.
    done = Done(resource.physical_id or resource.physical_name, reference=resource.name)
    now = resource.world.now()
    waiting = _Waiting.from_data(resource.cookie)
    if waiting is None:
        if action not in resource.properties["actions"]:
            return done
        least, chance = _seconds(resource.properties)
        seconds = least + chance * resource.world.random.random()
        begun = _Waiting(now + seconds).as_data()
        return Wait(begun, seconds, done.physical_id) if seconds else done
    left = waiting.until - now
    return Wait(waiting.as_data(), left) if left > 0 else done
