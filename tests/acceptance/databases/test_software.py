"""Software configs and deployments on real databases, by several at the same moment."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import Engine

from hotplate.engine.embedded import embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import NotFound, StillUsed
from hotplate.engine.requests.operations import Operations
from hotplate.engine.requests.software import Software
from hotplate.model import Input, Stack, Status
from hotplate.software import Changes, ConfigDraft, DeploymentDraft
from hotplate.store.database import create_tables, open_engine, transact
from hotplate.store.software import Page, insert_config, read_config
from tests.unit.store.test_software import FULL

MOST = 1000


@asynccontextmanager
async def software(url: str) -> AsyncIterator[Software]:
    async with embedded(url) as running:
        yield running.operations.software


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = open_engine(database_url)
    create_tables(engine)
    yield engine
    engine.dispose()


def test_a_config_is_read_as_it_was_written(engine: Engine) -> None:
    transact(engine, lambda connection: insert_config(connection, FULL))
    with engine.begin() as connection:
        assert read_config(connection, "p", "full") == FULL
        assert read_config(connection, "p", "FULL") is None


def test_a_deployment_lives_and_ends(database_url: str) -> None:
    async def story() -> None:
        async with software(database_url) as ours:
            draft = ConfigDraft("b", "script", "ä😀" * 100_000, (Input("i"),))
            config = await ours.create_config("p", draft, MOST)
            earlier = await ours.create_config("p", ConfigDraft("a"), MOST)
            made = await ours.create_deployment("p", DeploymentDraft(config.id, "s"), MOST)
            other = await ours.create_deployment("p", DeploymentDraft(earlier.id, "s"), MOST)
            assert await ours.on_server("p", "s") == [earlier, config]
            assert await ours.deployments("p", "s", Page(limit=1, marker=made.id)) == [other]
            listed = await ours.configs("p", Page(limit=5))
            assert [each.id for each in listed] == [earlier.id, config.id]
            changes = Changes(output_values={"ä": "😀"}, status="COMPLETE")
            changed = await ours.change_deployment("p", made.id, changes)
            assert await ours.deployment("p", made.id) == changed
            with pytest.raises(StillUsed):
                await ours.delete_config("p", config.id)
            await ours.delete_deployment("p", made.id)
            await ours.delete_config("p", config.id)
            with pytest.raises(NotFound):
                await ours.config("p", config.id)

    asyncio.run(story())


def test_no_deployment_outlives_its_config(database_url: str) -> None:
    """Of those who delete a config and those who deploy it at the same moment, one side loses."""

    async def deploy(ours: Software, config_id: str) -> str:
        try:
            await ours.create_deployment("p", DeploymentDraft(config_id, config_id), MOST)
        except NotFound:
            return "too late"
        return "deployed"

    async def delete(ours: Software, config_id: str) -> str:
        try:
            await ours.delete_config("p", config_id)
        except StillUsed:
            return "still used"
        return "deleted"

    async def story() -> None:
        async with software(database_url) as ours:
            for _ in range(20):
                config = await ours.create_config("p", ConfigDraft(), MOST)
                told = await asyncio.gather(
                    deploy(ours, config.id), delete(ours, config.id), deploy(ours, config.id)
                )
                left = await ours.deployments("p", config.id, Page())
                assert len(left) == told.count("deployed")
                assert (told[1] == "deleted") == (not left)

    asyncio.run(story())


def test_many_servers_report_at_the_same_moment_and_every_resource_hears_its_own(
    database_url: str,
) -> None:
    """By signal and over the API, while the resources are still laying themselves to rest."""
    count = 24
    config = {"type": "OS::Heat::SoftwareConfig", "properties": {"outputs": [{"name": "said"}]}}

    def wanted(word: str) -> Recipe:
        resources: dict[str, Any] = {"config": config}
        for index in range(count):
            properties = {
                "config": {"get_resource": "config"},
                "server": f"server-{index}",
                "input_values": {"word": word},
            }
            kind = "OS::Heat::SoftwareDeployment"
            resources[f"d{index}"] = {"type": kind, "properties": properties}
        outputs = {
            name: {"value": {"get_attr": [name, "said"]}} for name in resources if name != "config"
        }
        template = {"heat_template_version": "wallaby", "resources": resources, "outputs": outputs}
        return Recipe(json.dumps(template))

    async def agent(operations: Operations, stack_id: str, index: int, action: str) -> None:
        async with asyncio.timeout(120):
            while True:
                found = await operations.software.deployments("p", f"server-{index}", Page())
                if found and found[0].action == action:
                    break
                await asyncio.sleep(0.01)
        said = {"said": f"{action} {index}"}
        if index % 2:
            await operations.signal(stack_id, f"d{index}", said)
        else:
            changes = Changes(output_values=said, status="COMPLETE")
            await operations.software.change_deployment("p", found[0].id, changes)

    async def story() -> None:
        async with embedded(database_url) as running:
            operations = running.operations
            stack_id = await operations.create("p", "s", wanted("one"))
            for action in ("CREATE", "UPDATE"):
                if action == "UPDATE":
                    await operations.update(stack_id, wanted("two"))
                await asyncio.gather(
                    *(agent(operations, stack_id, index, action) for index in range(count))
                )
                stack = await ended(operations, stack_id)
                assert stack.status is Status.COMPLETE, stack.reason
                assert await operations.outputs(stack_id) == {
                    f"d{index}": f"{action} {index}" for index in range(count)
                }
            await operations.delete(stack_id)
            assert (await ended(operations, stack_id)).status is Status.COMPLETE
            assert await operations.software.configs("p", Page()) == []
            assert await operations.software.deployments("p", None, Page()) == []

    asyncio.run(story())


async def ended(operations: Operations, stack_id: str) -> Stack:
    async with asyncio.timeout(120):
        while True:
            stack = await operations.stack(stack_id)
            if stack.status is not Status.IN_PROGRESS:
                return stack
            await asyncio.sleep(0.01)
