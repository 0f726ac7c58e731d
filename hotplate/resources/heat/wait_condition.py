"""OS::Heat::WaitCondition: complete once its handle has been told so often enough."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hotplate.resources.heat.wait_condition_handle import FAILURE, SUCCESS, entries
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
from hotplate.resources.support import Support
from hotplate.template.constraint import Range

_LONGEST = 43_200


class WaitConditionFailure(ResourceFailed):
    """A signal said that what was waited for has failed."""


class WaitConditionTimeout(ResourceFailed):
    """Too few signals came in time."""


class WaitCondition(ResourceType):
    """Sleeps until there are signals; it holds no task and no memory meanwhile."""

    name = "OS::Heat::WaitCondition"
    support = Support(version="2014.2")
    creation = Creation.REPEATABLE
    properties = {
        "handle": Property(required=True, description="the reference of a handle"),
        "timeout": Property(
            PropertyKind.NUMBER,
            required=True,
            constraints=(Range(1, _LONGEST),),
            description="seconds to wait",
        ),
        "count": Property(
            PropertyKind.INTEGER,
            default=1,
            updatable=True,
            constraints=(Range(1, None),),
            description="how many signals must say that it succeeded",
        ),
    }
    attributes = {"data": "what the signals said, by their ids, as JSON"}

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        return str(properties["handle"])

    async def create(self, resource: Resource) -> Result:
        return self._waited(resource)

    async def update(self, resource: Resource) -> Result:
        return self._waited(resource)

    def _waited(self, resource: Resource) -> Result:
        told = entries(resource.signals)
        failed = [one["reason"] for one in told.values() if one["status"] == FAILURE]
        if failed:
            raise WaitConditionFailure(";".join(failed))
        done = [one for one in told.values() if one["status"] == SUCCESS]
        wanted = self._count(resource.properties)
        now = resource.world.now()
        if len(done) >= wanted:
            return Done(
                physical_id=resource.physical_name,
                attributes={"data": json.dumps(_data(resource.signals))},
            )
        end = float(resource.cookie["end"]) if resource.cookie else now + self._seconds(resource)
        if now >= end:
            reasons = ";".join(one["reason"] for one in told.values())
            text = f"{len(done)} of {wanted} received"
            raise WaitConditionTimeout(f"{text} - {reasons}" if reasons else text)
        return Wait({"end": end}, end - now)

    def _count(self, properties: Mapping[str, Any]) -> int:
        return int(properties["count"])

    def _seconds(self, resource: Resource) -> float:
        return float(resource.properties["timeout"])


def _data(signals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: one["data"] for name, one in entries(signals).items()}


class CfnWaitCondition(WaitCondition):
    """The same in the words of AWS."""

    name = "AWS::CloudFormation::WaitCondition"
    support = Support(version="2014.1")
    properties = {
        "Handle": Property(required=True, description="the reference of a handle"),
        "Timeout": Property(
            PropertyKind.INTEGER,
            required=True,
            constraints=(Range(1, _LONGEST),),
            description="seconds to wait",
        ),
        "Count": Property(
            PropertyKind.INTEGER,
            default=1,
            updatable=True,
            constraints=(Range(1, None),),
            description="how many signals must say that it succeeded",
        ),
    }
    attributes = {"Data": "what the signals said, by their ids, as JSON"}

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        return str(properties["Handle"])

    async def create(self, resource: Resource) -> Result:
        return _renamed(self._waited(resource))

    async def update(self, resource: Resource) -> Result:
        return _renamed(self._waited(resource))

    def _count(self, properties: Mapping[str, Any]) -> int:
        return int(properties["Count"])

    def _seconds(self, resource: Resource) -> float:
        return float(resource.properties["Timeout"])


def _renamed(result: Result) -> Result:
    if isinstance(result, Done) and result.attributes is not None:
        return Done(result.physical_id, attributes={"Data": result.attributes["data"]})
    return result
