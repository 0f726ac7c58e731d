"""OS::Mistral::CronTrigger: a workflow at certain times."""

from collections.abc import Mapping
from typing import Any, ClassVar

from hotplate.resources.capabilities import Findable
from hotplate.resources.mistral.reserved_name import ReservedName
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
from hotplate.workflow.drivers.driver import SERVICE, Refused, Trigger, Unreachable, WorkflowService


class CronTrigger(Findable):
    """Runs a workflow at certain times."""

    name = "OS::Mistral::CronTrigger"
    support = Support(version="5.0.0")
    creation = Creation.REPEATABLE
    properties: ClassVar[Mapping[str, Property]] = {
        "name": Property(description="of the trigger"),
        "pattern": Property(description="the times, as cron writes them"),
        "workflow": Property(
            PropertyKind.MAP,
            required=True,
            schema={
                "name": Property(required=True, description="name or id of the workflow"),
                "input": Property(PropertyKind.MAP, description="values for its inputs"),
            },
            description="what to run",
        ),
        "first_time": Property(description="the first time, as YYYY-MM-DD HH:MM in UTC"),
        "count": Property(PropertyKind.INTEGER, description="how often"),
    }
    attributes = {
        "next_execution_time": "the next time, when the trigger was made",
        "remaining_executions": "how often it will still run, when the trigger was made",
    }
    attribute_kinds = {
        "next_execution_time": PropertyKind.STRING,
        "remaining_executions": PropertyKind.INTEGER,
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["pattern"] is None and properties["first_time"] is None:
            return "a trigger needs a pattern, a first_time, or both"
        return ""

    async def create(self, resource: Resource) -> Result:
        properties = resource.properties
        name = properties["name"] or resource.physical_name
        service: WorkflowService = resource.world.service(SERVICE)
        wanted = Trigger(
            name,
            properties["workflow"]["name"],
            properties["workflow"]["input"] or {},
            properties["pattern"],
            properties["first_time"],
            properties["count"],
        )
        try:
            found = await service.find_trigger(resource.project, name)
            if ReservedName.from_data(resource.cookie) is None:
                if found is not None:
                    raise ResourceFailed(f"there is a trigger {name} already", "Conflict")
                return Wait(ReservedName(name).as_data(), 0, data={"name": name})
            if found is None:
                found = await service.create_trigger(resource.project, wanted)
        except Unreachable as error:
            return Wait(resource.cookie, 2, reason=f"{error}; it is tried again")
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        attributes = {
            "next_execution_time": found.next_execution_time,
            "remaining_executions": found.count,
        }
        return Done(name, name, attributes)

    async def find(self, resource: Resource) -> str | None:
        name = resource.data.get("name")
        if not name:
            return None
        service: WorkflowService = resource.world.service(SERVICE)
        try:
            found = await service.find_trigger(resource.project, name)
        except (Refused, Unreachable) as error:
            raise ResourceFailed(str(error), "Error") from None
        return None if found is None else found.name

    async def delete(self, resource: Resource) -> Result:
        service: WorkflowService = resource.world.service(SERVICE)
        try:
            await service.delete_trigger(resource.project, str(resource.physical_id))
        except Unreachable as error:
            return Wait({}, 2, reason=f"{error}; it is tried again")
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        return Done()
