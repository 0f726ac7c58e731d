"""What was read for a client that has not taken it yet: little in memory, more in a file."""

import asyncio
import tempfile
import threading
from collections import deque
from contextvars import copy_context
from typing import IO

_IN_MEMORY = 1024 * 1024
"""Bytes of one spool that are kept in memory."""

_IN_FILES = 512 * 1024 * 1024
"""Bytes that all spools of the process may have in files."""

_READ = 256 * 1024


class SpoolFull(Exception):
    """Clients are too slow for what they asked for; no more is kept for them."""


class _Account:
    """Bytes in the files of all spools. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.used = 0

    def take(self, size: int) -> None:
        with self._lock:
            if self.used + size > _IN_FILES:
                raise SpoolFull
            self.used += size

    def give_back(self, size: int) -> None:
        with self._lock:
            self.used -= size


ACCOUNT = _Account()


class Spool:
    """Chunks between a thread that reads rows and a client that may be slow.

    Whoever puts never waits, so no transaction is kept open by a slow client. The file has no
    name: it is gone when the spool is closed, or the process has ended.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._has_more = asyncio.Event()
        self._lock = threading.Lock()
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0
        self._is_ended = False
        self.is_closed = False
        """Whether nobody takes anything any more."""

    def put(self, chunk: bytes) -> None:
        """Keep a chunk, from any thread. Raises SpoolFull, and OSError if the disk is full."""
        with self._lock:
            if self.is_closed or not chunk:
                return
            if self._file is None and self._size + len(chunk) <= _IN_MEMORY:
                self._chunks.append(chunk)
                self._size += len(chunk)
            else:
                ACCOUNT.take(len(chunk))
                self._written += len(chunk)
                if self._file is None:
                    self._file = tempfile.TemporaryFile(prefix="hotplate-")  # noqa: SIM115 (lives as long as the spool)
                self._file.seek(self._written - len(chunk))
                self._file.write(chunk)
        self._wake()

    def end(self) -> None:
        """Say, from any thread, that no more comes."""
        self._is_ended = True
        self._wake()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._has_more.set, context=self._context)
        except RuntimeError:
            self.is_closed = True  # the loop has ended

    async def take(self) -> bytes:
        """Return what comes next, as soon as there is something; nothing at the end."""
        while True:
            self._has_more.clear()
            is_ended = self._is_ended
            if self._chunks:
                return self._from_memory()
            if self._file is not None:
                return await asyncio.to_thread(self._from_file)
            if is_ended:
                return b""
            await self._has_more.wait()

    def _from_memory(self) -> bytes:
        with self._lock:
            chunk = self._chunks.popleft()
            self._size -= len(chunk)
            return chunk

    def _from_file(self) -> bytes:
        with self._lock:
            if self._file is None:
                return b""
            self._file.seek(self._read)
            chunk = self._file.read(_READ)
            self._read += len(chunk)
            if self._read == self._written:
                self._drop_file()
            return chunk

    def _drop_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        ACCOUNT.give_back(self._written)
        self._written = self._read = 0

    def close(self) -> None:
        """Let go of everything; what is put from now on is lost."""
        with self._lock:
            self.is_closed = True
            self._chunks.clear()
            self._drop_file()
