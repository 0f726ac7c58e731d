"""What was read for a slow client: kept in order, within bounds, and let go of."""

import asyncio
from contextvars import Context, copy_context
from typing import Any

import pytest

from hotplate.store.capacity import spool as spools
from hotplate.store.capacity.spool import ACCOUNT, Spool, SpoolFull
from hotplate.store.fairness.fair_queue import on_behalf_of, project_of


async def _all(spool: Spool) -> bytes:
    pieces = []
    while piece := await spool.take():
        pieces.append(piece)
    return b"".join(pieces)


def test_chunks_come_in_order_whether_they_were_in_memory_or_in_the_file() -> None:
    async def story() -> None:
        spool = Spool()
        chunks = [bytes([number]) * 300_000 for number in range(20)]
        for chunk in chunks[:10]:
            spool.put(chunk)
        assert ACCOUNT.used > 0
        taken = await spool.take() + await spool.take()
        for chunk in chunks[10:]:
            spool.put(chunk)
        spool.end()
        assert taken + await _all(spool) == b"".join(chunks)
        spool.close()

    asyncio.run(story())
    assert ACCOUNT.used == 0


def test_little_of_it_is_kept_in_memory() -> None:
    async def story() -> None:
        spool = Spool()
        for _ in range(200):
            spool.put(b"x" * 100_000)
        assert sum(map(len, spool._chunks)) <= spools._IN_MEMORY
        spool.close()

    asyncio.run(story())
    assert ACCOUNT.used == 0


def test_all_spools_together_keep_no_more_than_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spools, "_IN_FILES", 1_500_000)

    async def story() -> None:
        first, second = Spool(), Spool()
        first.put(b"x" * 1_100_000)
        with pytest.raises(SpoolFull):
            second.put(b"x" * 1_100_000)
        first.close()
        second.put(b"x" * 1_100_000)
        second.close()

    asyncio.run(story())
    assert ACCOUNT.used == 0


def test_whoever_takes_is_woken_for_the_project_that_they_read_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    woken: list[str] = []

    async def story() -> None:
        loop = asyncio.get_running_loop()

        def noted(callback: Any, *args: Any, context: Context | None = None) -> None:
            woken.append(project_of(context or copy_context()))

        monkeypatch.setattr(loop, "call_soon_threadsafe", noted)
        with on_behalf_of("a"):
            spool = Spool()
        spool.put(b"x")
        monkeypatch.undo()
        spool.close()

    asyncio.run(story())
    assert woken == ["a"]
