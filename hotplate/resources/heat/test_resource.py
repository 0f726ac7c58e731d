"""OS::Heat::TestResource."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Creation,
    Done,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
    Wait,
)

_SECONDS = Property(PropertyKind.NUMBER, updatable=True)
_LONGEST_WAIT = 3600.0


class TestResource(ResourceType):
    """Does what a test wants: waits, fails, wants to be replaced."""

    __test__ = False

    name = "OS::Heat::TestResource"
    creation = Creation.REPEATABLE
    can_check = True
    properties = {
        "constraint_prop_secs": Property(PropertyKind.NUMBER, default=0, updatable=True),
        "attr_wait_secs": Property(PropertyKind.NUMBER, default=0, updatable=True),
        "value": Property(default="test_string", updatable=True),
        "update_replace_value": Property(),
        "fail": Property(PropertyKind.BOOLEAN, default=False, updatable=True),
        "update_replace": Property(PropertyKind.BOOLEAN, default=False, updatable=True),
        "wait_secs": Property(PropertyKind.NUMBER, default=0, updatable=True),
        "action_wait_secs": Property(
            PropertyKind.MAP,
            updatable=True,
            schema={"create": _SECONDS, "update": _SECONDS, "delete": _SECONDS},
        ),
        "client_name": Property(default="", updatable=True),
        "entity_name": Property(default="", updatable=True),
    }
    attributes = {"output": "the property value, as last applied"}

    async def create(self, resource: Resource) -> Result:
        return self._act(resource, "create", may_fail=True)

    async def update(self, resource: Resource) -> Result:
        return self._act(resource, "update", may_fail=True)

    async def delete(self, resource: Resource) -> Result:
        return self._act(resource, "delete", may_fail=False)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if new["update_replace"] and old.get("value") != new["value"]:
            return "value changes and update_replace is set"
        return ""

    def _act(self, resource: Resource, action: str, may_fail: bool) -> Result:
        now = resource.world.now()
        if resource.cookie is None:
            seconds = _seconds(resource.properties, action)
            if seconds < 0:
                return Wait({"until": None}, _LONGEST_WAIT)
            if seconds > 0:
                return Wait({"until": now + seconds}, seconds)
        elif resource.cookie["until"] is None:
            return Wait(resource.cookie, _LONGEST_WAIT)
        elif now < resource.cookie["until"]:
            return Wait(resource.cookie, resource.cookie["until"] - now)
        if may_fail and resource.properties["fail"]:
            raise ResourceFailed(f"Test Resource failed {resource.name}")
        value = resource.properties["value"]
        return Done(resource.physical_id or resource.physical_name, attributes={"output": value})


def _seconds(properties: Mapping[str, Any], action: str) -> float:
    chosen = (properties["action_wait_secs"] or {}).get(action)
    return float(properties["wait_secs"] if chosen is None else chosen)
