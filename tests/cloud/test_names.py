"""An update from a name to an id, with a real network behind both."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hotplate.cloud import SERVICE, Cloud, load_settings
from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Status
from hotplate.plan.decide import Step
from hotplate.resources import Catalogue, Done, Property, Resource, Result
from hotplate.resources.capabilities import TakesNames
from hotplate.template import CustomConstraint
from tests.cloud.box.places import credentials

TEMPLATE = """
heat_template_version: wallaby
resources:
  port: {type: Test::Port, properties: {network: "%s"}}
"""


class Port(TakesNames):
    """A port, of which only the network can be said."""

    name = "Test::Port"
    properties = {"network": Property(constraints=(CustomConstraint("neutron.network"),))}
    named = {"network": "neutron.network"}

    async def create(self, resource: Resource) -> Result:
        cloud: Cloud = resource.world.service(SERVICE)
        written = resource.properties["network"]
        network = await self.id_of(resource.world, "neutron.network", written)
        made = await cloud.service("network").post("/ports", {"port": {"network_id": network}})
        return Done(made["port"]["id"])

    async def delete(self, resource: Resource) -> Result:
        cloud: Cloud = resource.world.service(SERVICE)
        await cloud.service("network").delete(f"/ports/{resource.physical_id}")
        return Done()


async def at_rest(engine: Embedded, stack_id: str) -> Status:
    while True:
        status = (await engine.operations.stack(stack_id)).status
        if status is not Status.IN_PROGRESS:
            return status
        await asyncio.sleep(0.05)


def test_a_port_stays_when_its_network_is_said_by_its_id(tmp_path: Path) -> None:
    async def play() -> None:
        catalogue = Catalogue([Port()])
        async with Cloud(load_settings(credentials("demo"))) as cloud:
            services: dict[str, Any] = {SERVICE: cloud}
            async with embedded(tmp_path / "engine.db", services, catalogue) as engine:
                await changes(engine, cloud)

    async def changes(engine: Embedded, cloud: Cloud) -> None:
        operations = engine.operations
        with pytest.raises(InvalidDocument, match='no network "privat"; did you mean "private"'):
            await operations.create("p", "wrong", Recipe(TEMPLATE % "privat"))
        stack_id = await operations.create("p", "s", Recipe(TEMPLATE % "private"))
        assert await at_rest(engine, stack_id) is Status.COMPLETE
        before = (await operations.resources(stack_id))["port"]
        by_id = Recipe(TEMPLATE % (await cloud.look_up("neutron.network", "private")).id)
        preview = await operations.preview_update(stack_id, by_id)
        assert [each.step for each in preview.planned] == [Step.LEAVE]
        await operations.update(stack_id, by_id)
        assert await at_rest(engine, stack_id) is Status.COMPLETE
        after = (await operations.resources(stack_id))["port"]
        assert after.physical_id == before.physical_id
        await operations.delete(stack_id)
        assert await at_rest(engine, stack_id) is Status.COMPLETE

    asyncio.run(play())
