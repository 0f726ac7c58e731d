"""AWS::AutoScaling::LaunchConfiguration: what the instances of a group are made from."""

import json
from collections.abc import Mapping
from typing import Any

from hotplate.resources.capabilities import Adoptable
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.support import Support
from hotplate.template.constraint import CustomConstraint

LAUNCH = ("launch",)
"""Path of the attribute that groups read: no template can ask for it, and it is not shown."""

_PAIR = {"Key": Property(required=True), "Value": Property(required=True)}
_EBS = {
    "DeleteOnTermination": Property(
        PropertyKind.BOOLEAN, default=True, description="whether it goes with the instance"
    ),
    "Iops": Property(PropertyKind.NUMBER, implemented=False),
    "SnapshotId": Property(
        constraints=(CustomConstraint("cinder.snapshot"),),
        description="snapshot that the volume is made from",
    ),
    "VolumeSize": Property(description="size in GB"),
    "VolumeType": Property(implemented=False),
}


class LaunchConfiguration(Adoptable):
    """Keeps the properties of instances for groups. It makes nothing by itself."""

    name = "AWS::AutoScaling::LaunchConfiguration"
    support = Support()
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "ImageId": Property(
            constraints=(CustomConstraint("glance.image"),), description="image, by name or id"
        ),
        "InstanceType": Property(
            constraints=(CustomConstraint("nova.flavor"),), description="flavor"
        ),
        "InstanceId": Property(
            constraints=(CustomConstraint("nova.server"),),
            description="an instance to take the properties from",
        ),
        "KeyName": Property(
            constraints=(CustomConstraint("nova.keypair"),), description="key pair"
        ),
        "UserData": Property(secret=True, description="what the instance is given to start with"),
        "SecurityGroups": Property(PropertyKind.LIST, description="names of security groups"),
        "KernelId": Property(hidden=True, implemented=False),
        "RamDiskId": Property(hidden=True, implemented=False),
        "BlockDeviceMappings": Property(
            PropertyKind.LIST,
            description="volumes of the instance",
            items=Property(
                PropertyKind.MAP,
                schema={
                    "DeviceName": Property(required=True, description="name of the device"),
                    "Ebs": Property(PropertyKind.MAP, schema=_EBS, description="the volume"),
                    "NoDevice": Property(PropertyKind.MAP, implemented=False),
                    "VirtualName": Property(implemented=False),
                },
            ),
        ),
        "NovaSchedulerHints": Property(
            PropertyKind.LIST,
            description="hints for the scheduler of the compute service",
            items=Property(PropertyKind.MAP, schema=_PAIR),
        ),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        for mapping in properties["BlockDeviceMappings"] or ():
            missing = "Ebs" if not mapping["Ebs"] else "SnapshotId"
            if missing == "Ebs" or not mapping["Ebs"]["SnapshotId"]:
                text = "is missing, this is required when specifying BlockDeviceMappings."
                return f"{missing} {text}"
        if properties["InstanceId"]:
            return "InstanceId needs a compute service that is not here; use ImageId"
        if not properties["ImageId"] or not properties["InstanceType"]:
            return "If without InstanceId, ImageId and InstanceType are required."
        return ""

    async def create(self, resource: Resource) -> Result:
        return self._made(resource)

    async def adopt(self, resource: Resource) -> Result:
        return self._made(resource)

    async def update(self, resource: Resource) -> Result:
        return self._made(resource)

    def _made(self, resource: Resource) -> Done:
        launch = {"properties": _given(resource.properties), "metadata": dict(resource.metadata)}
        name = resource.physical_name
        return Done(physical_id=name, reference=name, attributes={json.dumps(LAUNCH): launch})


def _given(value: Any) -> Any:
    """Return a value without the nulls."""
    if isinstance(value, Mapping):
        return {key: _given(item) for key, item in value.items() if item is not None}
    return [_given(item) for item in value] if isinstance(value, list) else value
