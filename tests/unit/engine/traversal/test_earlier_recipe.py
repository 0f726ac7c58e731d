"""After a restart a large group is compared with the recipe that it comes from, not row by row."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.engine.embedded import Embedded, embedded, sealed
from hotplate.engine.recipes import Recipe
from hotplate.engine.traversal import untouched
from hotplate.model import Status
from hotplate.store.large.survey import glances

MANY = 1100
"""From 1,000 on the template of a group says once what all members are."""


def group(count: int) -> Recipe:
    given = {"count": count, "resource_def": {"type": "OS::Heat::RandomString"}}
    resources = {"group": {"type": "OS::Heat::ResourceGroup", "properties": given}}
    return Recipe(json.dumps({"heat_template_version": "wallaby", "resources": resources}))


async def _completed(engine: Embedded, stack_id: str) -> None:
    async with asyncio.timeout(60):
        while True:
            status = (await engine.operations.stack(stack_id)).status
            if status is not Status.IN_PROGRESS:
                break
            await asyncio.sleep(0.01)
    assert status is Status.COMPLETE


async def _grown(folder: Path, spoil: str = "") -> None:
    """Make a group, restart, and let it grow by one."""
    key = sealed(folder / "secrets.key")
    async with embedded(folder / "x.db", open_database=key) as engine:
        stack_id = await engine.operations.create("p", "s", group(MANY))
        await _completed(engine, stack_id)

        def spoiled(connection: Connection) -> None:
            if spoil:
                connection.exec_driver_sql(spoil)

        await engine.database.transact(spoiled)
    async with embedded(folder / "x.db", open_database=key) as engine:
        await engine.operations.update(stack_id, group(MANY + 1))
        await _completed(engine, stack_id)

        def counted(connection: Connection) -> int:
            found = connection.exec_driver_sql("SELECT count(*) FROM version WHERE name != 'group'")
            return int(found.scalar_one())

        assert await engine.database.read(counted) == MANY + 1


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return where it is noted that fingerprints are read."""
    noted: list[Any] = []
    inner = glances

    def noting(*given: Any) -> Any:
        noted.append(given)
        return inner(*given)

    monkeypatch.setattr(untouched, "glances", noting)
    return noted


def test_no_fingerprint_is_read_but_those_of_a_few(tmp_path: Path, read: list[Any]) -> None:
    asyncio.run(_grown(tmp_path))
    assert len(read) == 1, "only when the group was made, which had no version"


def test_those_of_another_version_of_hotplate_are_compared(tmp_path: Path, read: list[Any]) -> None:
    """It may have found other fingerprints for the same words."""
    spoil = f"UPDATE version SET fingerprint = '{'0' * 64}' WHERE name = '0'"
    asyncio.run(_grown(tmp_path, spoil))
    assert len(read) == 2
