"""How commands on the same machine find a running server: by a record beside the database.

A command without a server would be a worker of its own on the file; with one it is a client.
"""

import errno
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hotplate.engine.worker.presence import name_of_this_process, process_has_ended
from hotplate.private_file import NotPrivate, read_private
from hotplate.server.address import Address, is_loopback
from hotplate.server.configuration import Configuration

_LARGEST = 65536
_log = logging.getLogger("hotplate.server")


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """A server that runs on a database file, as far as can be known."""

    url: str
    needs_token: bool


def file_of(database: str) -> Path | None:
    """Return the file of a database's URL, None if it is not one."""
    # Not SQLAlchemy's parser: whoever finds a server need not import it.
    parts = urlsplit(database)
    if parts.scheme.partition("+")[0] != "sqlite" or not parts.path.startswith("/"):
        return None
    name = parts.path[1:]
    return Path(name) if name and name != ":memory:" and not name.startswith("file:") else None


def recorded_server(database: str) -> ServerRecord | None:
    """Return the server that runs on a database file; one that has ended does not count."""
    file = file_of(database)
    if file is None:
        return None
    try:
        document = json.loads(_read(_record_of(file)))
        url, process = str(document["url"]), str(document["process"])
        needs_token = bool(document["needs_token"])
        # Whoever could write this file could send commands, and their tokens, elsewhere.
        is_here = is_loopback(urlsplit(url).hostname or "")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None if not is_here or process_has_ended(process) else ServerRecord(url, needs_token)


@contextmanager
def recorded(configuration: Configuration, address: Address) -> Iterator[None]:
    """Keep the record of this server for the length of a block."""
    file = file_of(configuration.database)
    if file is None:
        yield
        return
    record = _record_of(file)
    if address.is_wildcard:
        address = Address("::1" if ":" in address.host else "127.0.0.1", address.port)
    mine = json.dumps(
        {
            "url": f"http://{address}",
            "process": name_of_this_process(),
            "needs_token": configuration.auth != "none",
        }
    )
    try:
        _write(record, mine)
    except OSError as error:
        _log.warning("commands on this machine will not find this server: %s", error.strerror)
    try:
        yield
    finally:
        try:
            if _read(record) == mine:
                record.unlink()
        except OSError:
            pass  # removed already, or never written


def _read(record: Path) -> str:
    """Return a text of this user that nobody else can write. Raises OSError for any other file."""
    try:
        return read_private(record, _LARGEST, readable=True).decode()
    except NotPrivate as error:
        raise PermissionError(errno.EPERM, str(error)) from None


def _write(record: Path, text: str) -> None:
    """Put a new file in the place of what is there, whatever that is. Raises OSError."""
    fresh = record.with_name(f"{record.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(record)


def _record_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.server")
