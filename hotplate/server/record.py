"""How commands on the same machine find a running server: by a record beside the database.

A command without a server would be a worker of its own on the file; with one it is a client.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hotplate.engine.worker.presence import is_gone, name_of_this_process
from hotplate.server.address import Address
from hotplate.server.configuration import Configuration

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
        document = json.loads(_record_of(file).read_text(encoding="utf-8"))
        url, process = str(document["url"]), str(document["process"])
        needs_token = bool(document["needs_token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None if is_gone(process) else ServerRecord(url, needs_token)


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
        record.touch(mode=0o600)
        record.write_text(mine, encoding="utf-8")
    except OSError as error:
        _log.warning("commands on this machine will not find this server: %s", error.strerror)
    try:
        yield
    finally:
        try:
            if record.read_text(encoding="utf-8") == mine:
                record.unlink()
        except OSError:
            pass  # removed already, or never written


def _record_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.server")
