"""Messages on a stream: a length, then so many bytes; and words of one byte."""

import asyncio
import socket
import struct
from collections.abc import Sequence
from typing import Final

FORK: Final = b"f"
KILL: Final = b"k"
PID: Final = struct.Struct("!i")
GOES_ON: Final = b"+"
ENDS: Final = b"-"
"""How an answer begins: whether the process that gives it takes more work, or has grown."""


_LENGTH: Final = struct.Struct("!Q")
_AT_ONCE: Final = 64 * 1024
"""Bytes that are sent in one step of the event loop."""


def send_frame(connection: socket.socket, *pieces: bytes) -> None:
    """Send a message; blocks until it is taken."""
    size = sum(map(len, pieces))
    head = _LENGTH.pack(size)
    for piece in (head, *pieces) if size > _AT_ONCE else (b"".join((head, *pieces)),):
        connection.sendall(piece)


def receive_frame(connection: socket.socket) -> bytes | None:
    """Return the next message; blocks. None if the other side is gone."""
    head = _received(connection, _LENGTH.size)
    return None if head is None else _received(connection, _LENGTH.unpack(head)[0])


def _received(connection: socket.socket, size: int) -> bytes | None:
    body = bytearray()
    while len(body) < size:
        piece = connection.recv(min(size - len(body), 1 << 20))
        if not piece:
            return None
        body += piece
    return bytes(body)


async def write_frame(writer: asyncio.StreamWriter, pieces: Sequence[bytes]) -> None:
    """Send a message while other tasks go on; what is large, little by little."""
    size = sum(map(len, pieces))
    head = _LENGTH.pack(size)
    if size <= _AT_ONCE:
        writer.write(b"".join((head, *pieces)))
        await writer.drain()
        return
    writer.write(head)
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), _AT_ONCE):
            writer.write(view[start : start + _AT_ONCE])
            await writer.drain()
            await asyncio.sleep(0)  # also where the other side takes it at once


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """Return the next message while other tasks go on. Raises EOFError."""
    head = await reader.readexactly(_LENGTH.size)
    return await reader.readexactly(_LENGTH.unpack(head)[0])
