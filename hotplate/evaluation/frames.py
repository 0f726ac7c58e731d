"""Messages on a stream: a length, then so many bytes; and words of one byte."""

import asyncio
import socket
import struct
from typing import Final

FORK: Final = b"f"
KILL: Final = b"k"
PID: Final = struct.Struct("!i")
GOES_ON: Final = b"+"
ENDS: Final = b"-"
"""How an answer begins: whether the process that gives it takes more work, or has grown."""


_LENGTH: Final = struct.Struct("!Q")


def send_frame(connection: socket.socket, body: bytes) -> None:
    """Send a message; blocks until it is taken."""
    connection.sendall(_LENGTH.pack(len(body)))
    connection.sendall(body)


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


async def write_frame(writer: asyncio.StreamWriter, body: bytes) -> None:
    """Send a message while other tasks go on."""
    writer.write(_LENGTH.pack(len(body)))
    writer.write(body)
    await writer.drain()


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """Return the next message while other tasks go on. Raises EOFError."""
    head = await reader.readexactly(_LENGTH.size)
    return await reader.readexactly(_LENGTH.unpack(head)[0])
