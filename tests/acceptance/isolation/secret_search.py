"""Looking for secrets in what a database holds: in its rows, and in the files of its server."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy import MetaData, make_url, select

from hotplate.store.database import open_engine

_PRINTABLE = re.compile(rb"[\x20-\x7e]{8,}")


def stored(url: str) -> bytes:
    """Return all that a database holds: the bytes of its files, or all values of its rows."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        file = Path(parsed.database or "")
        return b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))
    engine = open_engine(url)
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        rows = [
            str(value)
            for table in tables.sorted_tables
            for row in connection.execute(select(table))
            for value in row
        ]
    engine.dispose()
    return "\n".join(rows).encode()


def strings(folder: Path) -> bytes:
    """Return what ``strings`` prints of all files below a folder."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return b"\n".join(found for file in files for found in _PRINTABLE.findall(file.read_bytes()))


def found_in(content: bytes, sent: Mapping[str, str]) -> set[str]:
    """Return the ways whose secrets are in a content, in any form."""
    return {way for way, secret in sent.items() if any(form in content for form in _forms(secret))}


def _forms(secret: str) -> Iterator[bytes]:
    """Yield what a secret looks like in JSON, in an address, and at any place in base64."""
    yield secret.encode()
    yield json.dumps(secret)[1:-1].encode()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret.encode())
        yield encoded[4:-4]
