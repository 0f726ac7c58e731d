"""Room on the disk that is kept free for deletes: a file beside an SQLite database."""

import logging
import os
import stat
from pathlib import Path

_log = logging.getLogger("hotplate.store")


class Reserve:
    """A file of some size that is given up when the disk is full.

    From then on `is_full` holds, and whoever asks it takes deletes only; once there is room for
    the file again, it is made anew. Any thread may call; calls at the same time do no harm.
    """

    def __init__(self, database: Path, size: int) -> None:
        self._file = database.with_name(f"{database.name}.reserve")
        self._size = size
        self.is_full = False

    def check(self) -> None:
        """Make the file if it is missing and there is room for twice its size."""
        try:
            if not self.is_full and self._file.stat().st_size >= self._size:
                return
            if self._free() < 2 * self._size:
                self._tell(True)
                return
            descriptor = _opened(self._file)
            try:
                os.posix_fallocate(descriptor, 0, self._size)
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            self._make_first()
        except OSError as error:
            _log.warning(
                "no reserve file beside the database: deletes may fail on a full disk",
                extra={"error": error.strerror},
            )
            return
        self._tell(False)

    def _make_first(self) -> None:
        try:
            os.close(_opened(self._file))
        except OSError as error:
            _log.warning(
                "no reserve file beside the database: deletes may fail on a full disk",
                extra={"error": error.strerror},
            )
            return
        if self._size:
            self.check()

    def give_up(self) -> bool:
        """Free the room, because the disk is full; False if there was none to free."""
        self._tell(True)
        try:
            had = self._file.stat().st_size
            os.truncate(self._file, 0)
        except OSError:
            return False
        return had > 0

    def _free(self) -> int:
        found = os.statvfs(self._file.parent)
        return found.f_bavail * found.f_frsize

    def _tell(self, is_full: bool) -> None:
        if is_full != self.is_full:
            self.is_full = is_full
            if is_full:
                _log.error("the disk of the database is full: only deletes are accepted")
            else:
                _log.warning("the disk of the database has room again")


def _opened(file: Path) -> int:
    """Open a file of ours, making it if need be. Raises OSError for links and others' files."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file, flags, 0o600)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        os.close(descriptor)
        raise PermissionError(1, f"{file} is not a file of this user")
    return descriptor
