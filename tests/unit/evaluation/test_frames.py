"""Messages between a server and the processes of its pool."""

import asyncio
import socket

from hotplate.evaluation.frames import read_frame, receive_frame, send_frame, write_frame


def test_a_large_message_is_sent_while_other_tasks_go_on() -> None:
    pieces = [b"head", b"x" * 2_000_000, b"", b"tail"]
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def play() -> bytes | None:
        ours, theirs = socket.socketpair()
        receiving = asyncio.create_task(asyncio.to_thread(receive_frame, theirs))
        _, writer = await asyncio.open_unix_connection(sock=ours)
        counting = asyncio.create_task(count())
        await write_frame(writer, pieces)
        counting.cancel()
        found = await receiving
        writer.close()
        await writer.wait_closed()
        theirs.close()
        return found

    assert asyncio.run(play()) == b"".join(pieces)
    assert turns > 20  # after every 64 KB


def test_answers_come_back_whole_in_however_many_pieces() -> None:
    async def play() -> list[bytes]:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        found = []
        for pieces in ((b"+", b"short"), (b"+", b"x" * 300_000, b"y")):
            sending = asyncio.create_task(asyncio.to_thread(send_frame, theirs, *pieces))
            found.append(await read_frame(reader))
            await sending
        writer.close()
        await writer.wait_closed()
        theirs.close()
        return found

    assert asyncio.run(play()) == [b"+short", b"+" + b"x" * 300_000 + b"y"]
