"""The lease that whoever makes a call to a provider looks at."""

import asyncio

import httpx
import pytest

from hotplate.resources.lease import LeaseLost, confirm, hold, hold_before_sending, under


class Ended:
    """A lease that lets nothing through."""

    def confirm(self) -> None:
        raise LeaseLost

    async def hold(self) -> None:
        raise LeaseLost


def test_where_no_worker_acts_nothing_is_refused() -> None:
    confirm()
    asyncio.run(hold())


def test_a_call_under_a_lease_that_ended_is_refused_also_in_a_thread() -> None:
    async def work() -> None:
        with under(Ended()):
            with pytest.raises(LeaseLost):
                await hold()
            with pytest.raises(LeaseLost):
                confirm()
            with pytest.raises(LeaseLost):
                await asyncio.to_thread(confirm)
        await asyncio.to_thread(confirm)

    asyncio.run(work())


def test_a_request_that_waited_for_its_connection_is_not_sent() -> None:
    """The lease ends while the connection is being made; the server reads nothing."""
    read: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        read.append(await reader.read())
        writer.close()

    async def work() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, httpx.AsyncClient(trust_env=False) as client:
            with under(Ended()), pytest.raises(LeaseLost):
                await client.post(
                    f"http://127.0.0.1:{port}/", extensions={"trace": hold_before_sending}
                )
            await client.aclose()
            while not read:  # noqa: ASYNC110 (the other end closes, and then it is read)
                await asyncio.sleep(0)

    asyncio.run(work())
    assert read == [b""]
