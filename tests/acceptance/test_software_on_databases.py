"""Software configs and deployments on real databases, by several at the same moment."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import Engine

from hotplate.engine.embedded import embedded
from hotplate.engine.refusals import NotFound, StillUsed
from hotplate.engine.software import Software
from hotplate.model import Input
from hotplate.software import Changes, ConfigDraft, DeploymentDraft
from hotplate.store.database import open_engine, transact
from hotplate.store.software import Page, insert_config, read_config
from hotplate.store.upgrade import upgrade
from tests.unit.store.test_software import FULL

MOST = 1000


@asynccontextmanager
async def software(url: str) -> AsyncIterator[Software]:
    async with embedded(url) as running:
        yield running.operations.software


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = open_engine(database_url)
    upgrade(engine)
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
