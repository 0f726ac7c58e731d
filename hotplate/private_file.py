"""Files that are this user's alone, such as keys and tokens: looked at before they are believed."""

import os
import stat
from pathlib import Path

_OTHERS_READ = 0o077
_OTHERS_WRITE = 0o022


class NotPrivate(Exception):
    """The file is not what it should be. The text goes on after the name of the file."""


def read_private(path: Path, most: int = 1 << 20, readable: bool = False) -> bytes:
    """Return the first bytes of a file that belongs to this user or to root.

    No symbolic link is followed, and nothing is read but a file. Others must not write it, nor
    read it unless it is ``readable``. Raises NotPrivate, and OSError if it cannot be opened.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except OSError:
        if path.is_symlink():
            raise NotPrivate("is a symbolic link; name the file itself") from None
        raise
    try:
        check_private(path, os.fstat(descriptor), readable)
    except BaseException:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def check_private(path: Path, found: os.stat_result, readable: bool = False) -> None:
    """See whether an open file is this user's, or root's, alone. Raises NotPrivate."""
    if not stat.S_ISREG(found.st_mode):
        raise NotPrivate("is no file")
    if found.st_uid not in (os.geteuid(), 0):
        raise NotPrivate("belongs to another user; it must belong to the one who runs hotplate")
    mode = stat.S_IMODE(found.st_mode)
    if mode & _OTHERS_WRITE:
        raise NotPrivate(f"has mode {mode:04o}, so others can write it; run: chmod 0600 {path}")
    if mode & _OTHERS_READ and not readable:
        raise NotPrivate(f"has mode {mode:04o}, so others can read it; run: chmod 0600 {path}")
