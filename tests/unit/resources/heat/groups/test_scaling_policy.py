"""A scaling policy: its addresses, and what a signal to it asks for."""

import asyncio
from typing import Any

import pytest

from hotplate.resources import Done
from hotplate.resources.heat.groups.scaling_policy import CfnScalingPolicy, ScalingPolicy
from hotplate.resources.scaling import Adjustment, Measure
from tests.unit.resources.acting import resource

KIND = ScalingPolicy()
CFN = CfnScalingPolicy()
CREATION_TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"


def given(**more: Any) -> dict[str, Any]:
    return {
        "auto_scaling_group_id": "g",
        "adjustment_type": "change_in_capacity",
        "scaling_adjustment": 1,
        **more,
    }


def cfn(**more: Any) -> dict[str, Any]:
    return {
        "AutoScalingGroupName": "g",
        "AdjustmentType": "ExactCapacity",
        "ScalingAdjustment": 3,
        **more,
    }


def test_what_a_signal_asks_for() -> None:
    assert KIND.adjustment(KIND.convert(given(cooldown=5))) == Adjustment(
        "g", Measure.CHANGE, 1, "change_in_capacity : 1", 0, 5
    )
    percent = given(adjustment_type="percent_change_in_capacity", min_adjustment_step=2)
    found = KIND.adjustment(KIND.convert(percent))
    assert found is not None
    assert (found.measure, found.least, found.cooldown) == (Measure.PERCENT, 2, None)
    assert CFN.adjustment(CFN.convert(cfn())) == Adjustment(
        "g", Measure.EXACT, 3, "ExactCapacity : 3"
    )


def test_addresses() -> None:
    done = asyncio.run(KIND.create(resource(KIND, given())))
    assert isinstance(done, Done)
    assert done.attributes is not None
    assert done.physical_id == done.reference == CREATION_TOKEN
    assert str(done.attributes["alarm_url"]).startswith("http://127.0.0.1:8004/v1/signal/arn%3A")
    assert str(done.attributes["signal_url"]).endswith("/resources/it/signal")
    assert len((done.data or {})["key"]) == 32


def test_the_reference_in_the_form_of_aws_is_the_address() -> None:
    done = asyncio.run(CFN.adopt(resource(CFN, cfn(), data={"key": "k"})))
    assert isinstance(done, Done)
    assert done.attributes == {"AlarmUrl": done.reference}
    assert done.data == {"key": "k"}


@pytest.mark.parametrize(
    ("kind", "values", "fault"),
    [
        (KIND, given(), ""),
        (KIND, given(min_adjustment_step=1), "min_adjustment_step property should only"),
        (
            KIND,
            given(adjustment_type="percent_change_in_capacity", min_adjustment_step=1),
            "",
        ),
        (CFN, cfn(MinAdjustmentStep=1), "MinAdjustmentStep property should only be specified"),
    ],
)
def test_a_least_step_is_for_percentages(
    kind: ScalingPolicy, values: dict[str, Any], fault: str
) -> None:
    text = kind.validate(kind.convert(values))
    assert text.startswith(fault)
    assert bool(text) == bool(fault)
