"""OS::Heat::None takes everything and does nothing."""

import asyncio

from hotplate.resources import Done
from hotplate.resources.capabilities import NeverUpdated
from hotplate.resources.heat.none import NoneType
from tests.unit.resources.acting import resource

KIND = NoneType()


def test_it_takes_any_property() -> None:
    it = resource(KIND, {"flavor": "m1", "networks": [{"port": None}]})
    assert asyncio.run(KIND.create(it)) == Done(physical_id=it.creation_token)
    assert asyncio.run(KIND.delete(it)) == Done()


def test_it_has_any_attribute() -> None:
    assert KIND.has_attribute("whatever")


def test_no_change_matters() -> None:
    assert isinstance(KIND, NeverUpdated)
