"""OS::Heat::WaitCondition: complete once its handle has received enough signals."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

from hotplate.document import Data
from hotplate.resources.capabilities import Listens
from hotplate.resources.cookie import Cookie
from hotplate.resources.heat.wait_condition_handle import FAILURE, NO_SIGNAL, SUCCESS, entries
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
from hotplate.template.constraint import Range

_LONGEST = 43_200
_UNTIL = "until"
"""In the data: when the time is or would have been up. Late signals are welcome until then."""


@dataclass(frozen=True, slots=True)
class _Waiting(Cookie):
    end: float


class WaitConditionFailure(ResourceFailed):
    """A signal said that what was waited for has failed."""


class WaitConditionTimeout(ResourceFailed):
    """Too few signals came in time."""


class WaitCondition(Listens):
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
    data_name: ClassVar[str] = "data"
    """What the attribute is called."""

    attributes: ClassVar[Mapping[str, str]] = {
        "data": "what the signals said, by their ids, as JSON"
    }

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        return str(properties["handle"])

    async def create(self, resource: Resource) -> Result:
        return self._waited(resource)

    async def update(self, resource: Resource) -> Result:
        return self._waited(resource)

    def _waited(self, resource: Resource) -> Result:
        if resource.source is None:
            handle = self.listens_to(resource.properties)
            raise ResourceFailed(f"{handle} is not a valid wait condition handle.", "ValueError")
        received = entries(resource.signals)
        failed = [one["reason"] for one in received.values() if one["status"] == FAILURE]
        if failed:
            raise WaitConditionFailure(
                ";".join(failed), attributes=self._attributes(resource.signals)
            )
        done = [one for one in received.values() if one["status"] == SUCCESS]
        wanted = self._count(resource.properties)
        now = resource.world.now()
        waiting = _Waiting.from_data(resource.cookie)
        end = now + self._seconds(resource) if waiting is None else float(waiting.end)
        if len(done) >= wanted or resource.source.get("transport") == NO_SIGNAL:
            # Nothing is made that would have an id: get_resource gives the name.
            return Done(
                reference=resource.name,
                attributes=self._attributes(resource.signals),
                data={_UNTIL: end},
            )
        if now >= end:
            reasons = ";".join(one["reason"] for one in received.values())
            text = f"{len(done)} of {wanted} received"
            text = f"{text} - {reasons}" if reasons else text
            raise WaitConditionTimeout(text, attributes=self._attributes(resource.signals))
        reason = _missing(resource, len(done), wanted, end)
        return Wait(_Waiting(end).as_data(), end - now, data={_UNTIL: end}, reason=reason)

    def listens_until(self, data: Mapping[str, Any]) -> float | None:
        until = data.get(_UNTIL)
        return until if isinstance(until, int | float) else None

    def _attributes(self, signals: Sequence[Mapping[str, Any]]) -> dict[str, Data]:
        return {self.data_name: json.dumps(_data(signals))}

    def _count(self, properties: Mapping[str, Any]) -> int:
        return int(properties["count"])

    def _seconds(self, resource: Resource) -> float:
        return float(resource.properties["timeout"])


def _missing(resource: Resource, done: int, wanted: int, end: float) -> str:
    """Return in words what is waited for."""
    until = datetime.fromtimestamp(end, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    signals = "signal" if wanted == 1 else "signals"
    return f"{done} of {wanted} {signals} to {resource.source_name} received, waits until {until}"


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
    data_name = "Data"
    attributes = {"Data": "what the signals said, by their ids, as JSON"}

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        return str(properties["Handle"])

    def _count(self, properties: Mapping[str, Any]) -> int:
        return int(properties["Count"])

    def _seconds(self, resource: Resource) -> float:
        return float(resource.properties["Timeout"])
