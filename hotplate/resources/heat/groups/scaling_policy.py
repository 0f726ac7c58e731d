"""OS::Heat::ScalingPolicy and AWS::AutoScaling::ScalingPolicy: a signal changes a group's size."""

from collections.abc import Mapping
from typing import Any, ClassVar

from hotplate.resources.capabilities import AdjustsGroup, Adoptable
from hotplate.resources.heat.wait_condition_handle import key_of, timestamp
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.scaling import Adjustment, Measure
from hotplate.resources.signals import addresses_of
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues, Range

_LEAST = "members that a change by percentage changes at least"
_COOLDOWN = "seconds after the change in which the size is not adjusted again; else the group's own"


class ScalingPolicy(Adoptable, AdjustsGroup):
    """Says by how much a signal changes the size of a group. Signals come by two addresses."""

    name = "OS::Heat::ScalingPolicy"
    support = Support()
    creation = Creation.REPEATABLE
    instant = True
    irrecoverable = "the key that signs its address"
    measures: ClassVar[Mapping[str, Measure]] = {
        "change_in_capacity": Measure.CHANGE,
        "exact_capacity": Measure.EXACT,
        "percent_change_in_capacity": Measure.PERCENT,
    }
    keys: ClassVar[tuple[str, str, str, str, str]] = (
        "auto_scaling_group_id",
        "scaling_adjustment",
        "adjustment_type",
        "cooldown",
        "min_adjustment_step",
    )
    """Names of the properties: group, amount, measure, cooldown, least."""

    properties = {
        "auto_scaling_group_id": Property(required=True, description="the reference of a group"),
        "scaling_adjustment": Property(
            PropertyKind.NUMBER, required=True, updatable=True, description="by or to how much"
        ),
        "adjustment_type": Property(
            required=True,
            updatable=True,
            constraints=(
                AllowedValues(
                    ("change_in_capacity", "exact_capacity", "percent_change_in_capacity")
                ),
            ),
            description="what the adjustment means",
        ),
        "cooldown": Property(PropertyKind.NUMBER, updatable=True, description=_COOLDOWN),
        "min_adjustment_step": Property(
            PropertyKind.INTEGER,
            updatable=True,
            constraints=(Range(0, None),),
            description=_LEAST,
        ),
    }
    attributes = {
        "alarm_url": "where to send a signal; the address carries its own proof",
        "signal_url": "where to send a signal with a token",
    }
    attribute_kinds = {"alarm_url": PropertyKind.STRING, "signal_url": PropertyKind.STRING}
    secret_attributes = frozenset(("alarm_url",))

    validated = frozenset(("adjustment_type", "min_adjustment_step"))

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        _, _, measure, _, least = self.keys
        name = properties[measure]
        if properties[least] is None or self.measures.get(name) is Measure.PERCENT:
            return ""
        percent = next(key for key, each in self.measures.items() if each is Measure.PERCENT)
        return f"{least} property should only be specified for {measure} with value {percent}."

    def adjustment(self, properties: Mapping[str, Any]) -> Adjustment:
        group, amount, measure, cooldown, least = (properties[key] for key in self.keys)
        words = f"{measure} : {amount}"
        return Adjustment(group, self.measures[measure], amount, words, least or 0, cooldown)

    async def create(self, resource: Resource) -> Result:
        return self._made(resource)

    async def adopt(self, resource: Resource) -> Result:
        return self._made(resource)

    def _made(self, resource: Resource) -> Done:
        key = key_of(resource)
        addresses = addresses_of(resource)
        return Done(
            physical_id=resource.creation_token,
            reference=resource.creation_token,
            attributes={
                "alarm_url": addresses.signed(resource, key, "signal", timestamp(resource)),
                "signal_url": addresses.plain(resource),
            },
            data={"key": key},
        )


class CfnScalingPolicy(ScalingPolicy):
    """The same in the words of AWS. Its reference is the signed address."""

    name = "AWS::AutoScaling::ScalingPolicy"
    measures = {
        "ChangeInCapacity": Measure.CHANGE,
        "ExactCapacity": Measure.EXACT,
        "PercentChangeInCapacity": Measure.PERCENT,
    }
    keys = (
        "AutoScalingGroupName",
        "ScalingAdjustment",
        "AdjustmentType",
        "Cooldown",
        "MinAdjustmentStep",
    )
    properties = {
        "AutoScalingGroupName": Property(required=True, description="the reference of a group"),
        "ScalingAdjustment": Property(
            PropertyKind.INTEGER, required=True, updatable=True, description="by or to how much"
        ),
        "AdjustmentType": Property(
            required=True,
            updatable=True,
            constraints=(
                AllowedValues(("ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity")),
            ),
            description="what the adjustment means",
        ),
        "Cooldown": Property(PropertyKind.INTEGER, updatable=True, description=_COOLDOWN),
        "MinAdjustmentStep": Property(
            PropertyKind.INTEGER,
            updatable=True,
            constraints=(Range(0, None),),
            description=_LEAST,
        ),
    }
    validated = frozenset(("AdjustmentType", "MinAdjustmentStep"))
    attributes = {"AlarmUrl": "where to send a signal; the address carries its own proof"}
    secret_attributes = frozenset(("AlarmUrl", ""))
    attribute_kinds = {"AlarmUrl": PropertyKind.STRING}

    def _made(self, resource: Resource) -> Done:
        key = key_of(resource)
        address = addresses_of(resource).signed(resource, key, "signal", timestamp(resource))
        return Done(
            physical_id=resource.creation_token,
            reference=address,
            attributes={"AlarmUrl": address},
            data={"key": key},
        )
