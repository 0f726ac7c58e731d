"""Large answers that wait packed: whoever reads slowly keeps little memory of the server."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from starlette.responses import StreamingResponse

_LEVEL: Final = 1
"""The fastest: resources of one preview say much of the same, and become small by any level."""

_CHUNK: Final = 65_536
"""Bytes that are unpacked in one step: some tenths of a millisecond."""

_FED: Final = 4_096
"""Packed bytes that are looked at in one step: what is left of them is copied each time."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A text that takes little room until it is read."""

    data: bytes
    size: int
    """Bytes of the text itself."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the text, little by little."""
        unpacker = zlib.decompressobj()
        for start in range(0, len(self.data), _FED):
            rest = self.data[start : start + _FED]
            while rest:
                yield unpacker.decompress(rest, _CHUNK)
                rest = unpacker.unconsumed_tail
        yield unpacker.flush()


class Packer:
    """Packs a text that is written piece by piece: none of it is in memory as it is."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(_LEVEL)
        self._data = bytearray()
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Write one more piece."""
        self._size += len(piece)
        self._data += self._packer.compress(piece)

    def packed(self) -> Packed:
        """Return what was written. Nothing can be added any more."""
        self._data += self._packer.flush()
        return Packed(bytes(self._data), self._size)


def packed(pieces: Iterable[bytes]) -> Packed:
    """Return what the pieces say together."""
    packer = Packer()
    for piece in pieces:
        packer.add(piece)
    return packer.packed()


class PackedAnswer(StreamingResponse):
    """An answer of JSON that is unpacked while it is sent."""

    def __init__(self, *parts: bytes | Packed) -> None:
        size = sum(len(each) if isinstance(each, bytes) else each.size for each in parts)
        super().__init__(
            _sent(parts), media_type="application/json", headers={"content-length": str(size)}
        )


async def _sent(parts: Iterable[bytes | Packed]) -> AsyncIterator[bytes]:
    for part in parts:
        for chunk in (part,) if isinstance(part, bytes) else part.chunks():
            yield chunk
            await asyncio.sleep(0)  # nothing else lets others go on while a client reads fast
