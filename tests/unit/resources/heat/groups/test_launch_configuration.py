"""A launch configuration: what it refuses, and what it tells groups."""

import asyncio
from typing import Any

import pytest

from hotplate.resources import Done
from hotplate.resources.heat.groups.access_policy import AccessPolicy
from hotplate.resources.heat.groups.launch_configuration import LaunchConfiguration
from tests.unit.resources.acting import resource

KIND = LaunchConfiguration()
BASE = {"ImageId": "i", "InstanceType": "t"}


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (BASE, ""),
        ({"ImageId": "i"}, "If without InstanceId, ImageId and InstanceType are required."),
        ({"InstanceId": "x"}, "InstanceId needs a compute service"),
        ({**BASE, "BlockDeviceMappings": [{"DeviceName": "a"}]}, "Ebs is missing"),
        (
            {**BASE, "BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"VolumeSize": 1}}]},
            "SnapshotId is missing",
        ),
        (
            {**BASE, "BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"SnapshotId": "s"}}]},
            "",
        ),
    ],
)
def test_faults(given: dict[str, Any], fault: str) -> None:
    text = KIND.validate(KIND.convert(given))
    assert text.startswith(fault)
    assert bool(text) == bool(fault)


@pytest.mark.parametrize("method", ["create", "update", "adopt"])
def test_it_tells_what_was_said_and_nothing_else(method: str) -> None:
    hints = [{"Key": "k", "Value": "v"}]
    it = resource(KIND, {**BASE, "NovaSchedulerHints": hints}, metadata={"m": 1})
    done = asyncio.run(getattr(KIND, method)(it))
    assert isinstance(done, Done)
    assert done.reference == "app-it-0f6f8f0e1111"
    told = {"properties": {**BASE, "NovaSchedulerHints": hints}, "metadata": {"m": 1}}
    assert done.attributes == {'["launch"]': told}


def test_an_access_policy_names_resources_and_is_referred_to_by_its_name() -> None:
    kind = AccessPolicy()
    it = resource(kind, {"AllowedResources": ["a", 1]})
    assert list(kind.named_resources(it.properties)) == ["a", "1"]
    done = asyncio.run(kind.create(it))
    assert isinstance(done, Done)
    assert done.reference == "it"
