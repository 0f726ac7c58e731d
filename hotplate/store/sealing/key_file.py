"""The file of the master keys: lines `id = base64 of 32 bytes`. The first one wraps new data keys.

All of them unwrap. The file belongs to the user who runs the server, and nobody else reads it.
"""

import base64
import binascii
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from hotplate.private_file import NotPrivate, read_private
from hotplate.store.sealing.errors import KeyRefused

_LINE: Final = re.compile(r"([A-Za-z0-9._-]{1,32})\s*=\s*([A-Za-z0-9+/=]+)")
_BYTES: Final = 32
_LARGEST: Final = 65_536
_HEAD: Final = """\
# The master keys of hotplate: without them nothing in its database can be read. Keep a copy in a
# safe place, apart from the copies of the database. The first key is used for what is new.
"""


class KeyFile:
    """Master keys by their ids, read when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._keys: Mapping[str, bytes] | None = None

    @property
    def keys(self) -> Mapping[str, bytes]:
        """The keys, the one for new data keys first; none if there is no file.

        Raises KeyRefused for a file that others could read or that holds no keys.
        """
        if self._keys is None:
            self._keys = _read(self.path)
        return self._keys

    @property
    def first(self) -> tuple[str, bytes]:
        """The id and the key for new data keys. Raises KeyRefused."""
        for found in self.keys.items():
            return found
        raise KeyRefused(f"there is no key file {self.path}")

    def read_again(self) -> None:
        """Look at the file anew when the keys are next asked for."""
        self._keys = None

    def make(self) -> str:
        """Make the file with one new key unless there is one; return the id of the first key.

        Of several processes that do so, one makes it and the others read it. Raises KeyRefused.
        """
        if not self.keys:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _write_new(self.path, _HEAD + _line(*_new_key()))
            except OSError as error:
                raise _unusable(self.path, error) from None
            self._keys = None
        return self.first[0]

    def add(self) -> str:
        """Put a new key before the others, keep these, and return its id. Raises KeyRefused.

        The file is replaced as a whole: whoever reads it meanwhile finds the old or the new one.
        """
        present = self.keys
        key_id, key = _new_key()
        lines = [_line(key_id, key), *(_line(*each) for each in present.items())]
        beside = self.path.with_name(f"{self.path.name}.new")
        try:
            beside.unlink(missing_ok=True)
            _write_new(beside, _HEAD + "".join(lines))
            beside.replace(self.path)
        except OSError as error:
            raise _unusable(self.path, error) from None
        self._keys = None
        return key_id


def _new_key() -> tuple[str, bytes]:
    return f"k{secrets.token_hex(4)}", secrets.token_bytes(_BYTES)


def _line(key_id: str, key: bytes) -> str:
    return f"{key_id} = {base64.b64encode(key).decode('ascii')}\n"


def _write_new(path: Path, text: str) -> None:
    """Write a file that is there completely or not at all; another one's is left alone."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(part, path, follow_symlinks=False)
    finally:
        part.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(path: Path) -> Mapping[str, bytes]:
    try:
        return _parsed(path, read_private(path, _LARGEST + 1))
    except FileNotFoundError:
        return {}
    except NotPrivate as error:
        raise KeyRefused(f"the key file {path} {error}") from None
    except OSError as error:
        raise _unusable(path, error) from None


def _parsed(path: Path, content: bytes) -> Mapping[str, bytes]:
    keys: dict[str, bytes] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        found = _LINE.fullmatch(text)
        key = _decoded(found[2]) if found else b""
        # The line itself is not quoted: it may be nearly a key.
        if found is None or len(key) != _BYTES or found[1] in keys:
            raise KeyRefused(
                f"line {number} of the key file {path} is not `id = base64 of 32 bytes`, with an "
                "id that no other line has; restore the file from a copy"
            )
        keys[found[1]] = key
    if not keys or len(content) > _LARGEST:
        raise KeyRefused(f"the key file {path} holds no keys; restore it from a copy")
    return keys


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _unusable(path: Path, error: OSError) -> KeyRefused:
    return KeyRefused(
        f"the key file {path} cannot be used: {error.strerror}; see to it, or name another with "
        "--key-file"
    )
