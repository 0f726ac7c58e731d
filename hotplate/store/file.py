"""The file of an SQLite database."""

from pathlib import Path

from sqlalchemy import make_url


def make_file(url: str) -> None:
    """Make the file of an SQLite database and its folder, for the owner only: it holds secrets."""
    parsed = make_url(url)
    name = parsed.database
    if parsed.get_backend_name() != "sqlite" or not name or name == ":memory:":
        return
    if name.startswith("file:"):
        return
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
