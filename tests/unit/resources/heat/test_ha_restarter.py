"""OS::Heat::HARestarter."""

import asyncio

from hotplate.resources.heat.ha_restarter import HARestarter
from tests.unit.resources.acting import resource

KIND = HARestarter()


def test_it_takes_anything_and_does_nothing() -> None:
    it = resource(KIND)
    assert asyncio.run(KIND.create(it)).physical_id == it.creation_token
    assert "InstanceId" in KIND.properties
    assert KIND.has_attribute("AlarmUrl")
    assert KIND.support.status.value == "HIDDEN"
