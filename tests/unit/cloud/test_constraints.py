"""The table of custom constraints that a cloud can check."""

import asyncio

import pytest

from hotplate.cloud import SERVICE, Unavailable
from hotplate.cloud.constraints import CONSTRAINTS, Found
from hotplate.cloud.services import KINDS
from hotplate.resources.capabilities.names import CLOUD
from hotplate.template import SERVICE_CONSTRAINTS
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

UNCHECKED = {"mistral.workflow", "neutron.lbaas.provider", "zaqar.queue"}
OURS = {"neutron.floating_ip", "neutron.trunk"}


def test_every_constraint_of_a_service_that_can_be_checked_is_in_the_table() -> None:
    assert CONSTRAINTS.keys() - OURS == SERVICE_CONSTRAINTS - UNCHECKED
    assert {kind.service for kind in CONSTRAINTS.values()} <= KINDS.keys()


def test_types_and_clouds_have_the_same_name_for_the_service() -> None:
    assert CLOUD == SERVICE


def test_a_constraint_finds_an_id_or_says_why_there_is_none() -> None:
    flavors = answer({"flavors": [{"id": "2", "name": "m1.small"}]})
    wire = ScriptedWire(flavors)

    async def play() -> list[Found]:
        cloud = cloud_on(wire)
        return [await cloud.look_up("nova.flavor", each) for each in ("m1.small", "m1.smal", "")]

    found = asyncio.run(play())
    missing = 'there is no flavor "m1.smal"; did you mean "m1.small"?'
    assert found == [Found("2"), Found(fault=missing), Found()]
    assert len(wire.requests) == 1


def test_what_is_unknown_or_does_not_answer_is_no_fault_of_a_value() -> None:
    wire = ScriptedWire(*(answer({}, 503) for _ in range(5)))

    async def play() -> None:
        cloud = cloud_on(wire)
        assert await cloud.look_up("zaqar.queue", "q") == Found()
        with pytest.raises(Unavailable):
            await cloud.look_up("neutron.network", "n")

    asyncio.run(play())
