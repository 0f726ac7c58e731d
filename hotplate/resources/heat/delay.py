"""OS::Heat::Delay."""

from typing import Any

from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceType, Result, Wait
from hotplate.template.constraint import AllowedValues, Range

_SECONDS = Property(PropertyKind.NUMBER, default=0, updatable=True, constraints=(Range(0, None),))
ACTIONS = ("CREATE", "DELETE", "SUSPEND", "RESUME")


class Delay(ResourceType):
    """Waits a while during chosen actions."""

    name = "OS::Heat::Delay"
    creation = Creation.REPEATABLE
    properties = {
        "min_wait": _SECONDS,
        "max_jitter": _SECONDS,
        "jitter_multiplier": Property(
            PropertyKind.NUMBER, default=1.0, updatable=True, constraints=(Range(0, None),)
        ),
        "actions": Property(
            PropertyKind.LIST,
            default=["CREATE"],
            updatable=True,
            items=Property(constraints=(AllowedValues(ACTIONS),)),
        ),
    }

    async def create(self, resource: Resource) -> Result:
        return self._wait(resource, "CREATE")

    async def delete(self, resource: Resource) -> Result:
        return self._wait(resource, "DELETE")

    async def suspend(self, resource: Resource) -> Result:
        return self._wait(resource, "SUSPEND")

    async def resume(self, resource: Resource) -> Result:
        return self._wait(resource, "RESUME")

    def _wait(self, resource: Resource, action: str) -> Result:
        done = Done(physical_id=resource.physical_id or resource.physical_name)
        now = resource.world.now()
        if resource.cookie is None:
            if action not in resource.properties["actions"]:
                return done
            seconds = _draw(resource)
            return Wait({"until": now + seconds}, seconds) if seconds else done
        left: Any = resource.cookie["until"] - now
        return Wait(resource.cookie, left) if left > 0 else done


def _draw(resource: Resource) -> float:
    properties = resource.properties
    jitter = properties["max_jitter"] * properties["jitter_multiplier"]
    return float(properties["min_wait"] + resource.world.random.uniform(0, jitter))
