"""Large answers that wait packed: whoever reads slowly keeps little memory of the server."""

import zlib
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from starlette.responses import StreamingResponse

_LEVEL: Final = 1
"""The fastest: resources of one preview say much of the same, and become small by any level."""

_CHUNK: Final = 65_536
"""Bytes that are unpacked in one step: some tenths of a millisecond."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A text that takes little room until it is read."""

    data: bytes
    size: int
    """Bytes of the text itself."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the text, little by little."""
        unpacker = zlib.decompressobj()
        rest = self.data
        while not unpacker.eof:
            yield unpacker.decompress(rest, _CHUNK)
            rest = unpacker.unconsumed_tail


def packed(pieces: Iterable[bytes]) -> Packed:
    """Return what the pieces say together. One piece at a time is in memory as it is."""
    packer = zlib.compressobj(_LEVEL)
    size, data = 0, bytearray()
    for piece in pieces:
        size += len(piece)
        data += packer.compress(piece)
    data += packer.flush()
    return Packed(bytes(data), size)


class PackedAnswer(StreamingResponse):
    """An answer of JSON that is unpacked while it is sent."""

    def __init__(self, before: bytes, body: Packed, after: bytes) -> None:
        size = len(before) + body.size + len(after)
        super().__init__(
            _sent(before, body, after),
            media_type="application/json",
            headers={"content-length": str(size)},
        )


async def _sent(before: bytes, body: Packed, after: bytes) -> AsyncIterator[bytes]:
    yield before
    for chunk in body.chunks():
        yield chunk
    yield after
