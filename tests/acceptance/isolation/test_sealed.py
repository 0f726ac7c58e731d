"""Whoever has the database, its log and its copies, but not the key file, learns no secret."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import make_url, update

from hotplate.store.database import open_engine
from hotplate.store.schema import stack
from tests.acceptance.command.terminal import environment, piped
from tests.acceptance.isolation.secret_search import found_in, stored, strings
from tests.acceptance.isolation.secret_ways import PATIENCE, Ways
from tests.acceptance.serving import end, start, stop
from tests.databases import KINDS, Server, start_mariadb, start_postgresql


@dataclass(frozen=True, slots=True)
class Searched:
    """An empty database, and the folder with all that its server writes."""

    url: str
    folder: Path
    server: Server | None = None

    def content(self) -> bytes:
        """Return the rows and the files, logs of changes included, as they are on the disk."""
        if self.server is None:
            return stored(self.url)
        for statement in _FLUSHING[make_url(self.url).get_backend_name()]:
            self.server.execute(statement)
        return stored(self.url) + strings(self.folder)


_FLUSHING = {
    "postgresql": ("CHECKPOINT",),
    "mariadb": ("FLUSH TABLES", "FLUSH BINARY LOGS", "SET GLOBAL innodb_max_dirty_pages_pct = 0"),
}


@pytest.fixture(params=KINDS)
def searched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Searched]:
    """A database on a server of its own: nobody else writes into its files."""
    if request.param == "sqlite":
        yield Searched(f"sqlite:///{tmp_path / 'hotplate.db'}", tmp_path)
        return
    is_mariadb = request.param == "mariadb"
    server = start_mariadb("--log-bin=changes") if is_mariadb else start_postgresql()
    try:
        yield Searched(server.new_database(), server.folder, server)
    finally:
        server.stop()


def test_no_secret_is_found_in_the_database_nor_in_the_log(
    searched: Searched, tmp_path: Path
) -> None:
    url = searched.url
    keys = str(tmp_path / "keys" / "secrets.key")
    served = start("--key-file", keys, database=url, folder=tmp_path)
    ways = Ways(served.url)
    try:
        ways.go()
        assert len(ways.sent) >= 30
        content = searched.content()
        assert found_in(content, ways.sent) == set()
        # What is not sealed is seen there: the files are those of this database.
        assert b"from_template" in content
    finally:
        ways.close()
        stop(served)
    assert found_in(searched.content(), ways.sent) == set()
    assert found_in(served.log().encode(), ways.sent) == set()

    # Without the key file it does not start, and says what is missing.
    Path(keys).rename(tmp_path / "away")
    with pytest.raises(
        AssertionError, match=r"is sealed with the master key k\w+, and there is no"
    ):
        start("--key-file", keys, database=url, folder=tmp_path)
    assert not Path(keys).exists()
    (tmp_path / "away").rename(keys)
    again = start("--key-file", keys, database=url, folder=tmp_path)
    try:
        shown = httpx.get(f"{again.endpoint()}{ways.path}/outputs/derived", timeout=PATIENCE)
        value = shown.json()["output"]["output_value"]
        assert value == f"{ways.sent['patched']}-{ways.sent['listed']}"
    finally:
        stop(again)


SMALL = """
heat_template_version: wallaby
resources:
  made: {type: OS::Heat::RandomString}
"""


def test_a_stack_moved_to_another_project_is_refused_by_name(
    database_url: str, tmp_path: Path
) -> None:
    url = database_url
    served = start(database=url, folder=tmp_path)
    ways, other = Ways(served.url), Ways(served.url, "other")
    try:
        path = ways.made({"stack_name": "moved", "template": SMALL})
        other.made({"stack_name": "own", "template": SMALL})
        stop(served)
        engine = open_engine(url)
        with engine.begin() as connection:
            changes = {"project": "other", "name_lock": "other/moved"}
            connection.execute(update(stack).where(stack.c.name == "moved").values(changes))
        engine.dispose()
        served = start(database=url, folder=tmp_path)
        for below in ("/resources", "/template", ""):
            answer = httpx.get(f"{served.url}/v1/other{path}{below}", timeout=PATIENCE)
            assert answer.status_code == 500
            assert "cannot be opened: it was changed, or it comes from another row" in answer.text
        assert httpx.get(f"{served.url}/v1/other/stacks", timeout=PATIENCE).is_success
        assert "Traceback" not in served.log()
    finally:
        ways.close()
        other.close()
        end(served)


def test_a_rekey_that_is_killed_is_completed_by_the_next(database_url: str, tmp_path: Path) -> None:
    url = database_url
    keys = str(tmp_path / "secrets.key")
    flags = ("--database", url, "--key-file", keys)
    served = start("--key-file", keys, database=url, folder=tmp_path)
    ways = Ways(served.url)
    try:
        ways.stack()
        assert piped("db", "add-key", *flags, home=tmp_path).returncode == 0
        kill_half_way(flags, tmp_path)
        # Beside the server, which has the old keys in memory.
        done = piped("db", "rekey", "--output", "json", *flags, home=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["projects"] == 0
        rows = listed(flags, tmp_path)
        assert {row["values"] for row in rows if row["use"] == "older"} == {0}
        assert len({row["master"] for row in rows}) == 1
        shown = httpx.get(f"{served.endpoint()}{ways.path}/outputs/derived", timeout=PATIENCE)
        assert ways.sent["patched"] in shown.json()["output"]["output_value"]
        assert found_in(stored(url), ways.sent) == set()
        stop(served)
    finally:
        ways.close()
        end(served)


def kill_half_way(flags: Sequence[str], folder: Path) -> None:
    """Begin a rekey, and kill it once it has made its keys and before it comes to its end."""
    code = (
        "import os, signal\n"
        "from hotplate.store.resealing import rekey\n"
        "write, done = rekey.write, []\n"
        "def die(*arguments):\n"
        "    done.append(1)\n"
        "    if len(done) > 20:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return write(*arguments)\n"
        "rekey.write, rekey.BATCH = die, 5\n"
        "from hotplate.cli.main import main\n"
        "main()\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, "db", "rekey", *flags],
        env=environment(folder),
        cwd=folder,
        check=False,
    )
    assert process.returncode == -signal.SIGKILL
    assert all(row["values"] for row in listed(flags, folder))


def listed(flags: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    answer = piped("db", "keys", "--output", "json", *flags, home=folder)
    assert answer.returncode == 0, answer.stderr
    return [json.loads(line) for line in answer.stdout.splitlines()]
