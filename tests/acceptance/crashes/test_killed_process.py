"""A process that is killed at any moment and started again leaves what it should, and no more."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from hotplate.resources.directory import objects
from tests.acceptance.crashes.killed_process import POINTS, WORDS
from tests.databases import new_sqlite_file

ROOT = Path(__file__).resolve().parents[3]
AT_ONCE = 4
NAMES = {"changed", "replaced", "changed_late"}


@dataclass(frozen=True)
class Ending:
    """How a process ended, and how often it passed each point if it came to its end."""

    ended: int
    counts: dict[str, int]


class Servers:
    """Processes from which the engines under test are forked."""

    def __init__(self) -> None:
        self._all = [self._started() for _ in range(AT_ONCE)]
        self._free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        for server in self._all:
            self._free.put(server)

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.acceptance.crashes.killed_process"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, home: Path, step: str, point: str = "", number: int = 0, blindly: bool = False
    ) -> Ending:
        """Run an engine on a folder; with a point, it is killed the so manieth time there.

        Blindly means that it does not look for what may exist before it creates.
        """
        server = self._free.get()
        try:
            assert server.stdin is not None
            assert server.stdout is not None
            request = {
                "home": str(home),
                "step": step,
                "point": point,
                "number": number,
                "blindly": blindly,
            }
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            return Ending(answer["ended"], answer["counts"])
        finally:
            self._free.put(server)

    def stop(self) -> None:
        for server in self._all:
            with server:  # closes its input, at whose end it ends
                pass


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    started = Servers()
    try:
        yield started
    finally:
        started.stop()


@dataclass(frozen=True)
class Undisturbed:
    """The folder before a step, and what the step passes when nothing happens to it."""

    before: Path
    counts: dict[str, int]


@pytest.fixture(scope="module")
def undisturbed(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Each step without a crash, one after the other."""
    home = tmp_path_factory.mktemp("undisturbed")
    new_sqlite_file(home / "engine.db")  # each process that begins anew would make the tables
    found = {}
    for step in ("create", "update", "delete"):
        before = tmp_path_factory.mktemp(f"before-{step}") / "home"
        shutil.copytree(home, before)
        (before / "created").unlink(missing_ok=True)
        ending = servers.run(home, step)
        assert ending.ended == 0
        found[step] = Undisturbed(before, ending.counts)
        assert_right(home, step)
    return found


@contextmanager
def database(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / "engine.db")) as connection:
        yield connection


def assert_right(home: Path, step: str) -> None:
    """Directory and database say the same, which is what the step should lead to."""
    folder = home / "objects"
    with database(home) as connection:
        versions = connection.execute(
            "SELECT name, uuid, physical_id, action, status FROM version"
        ).fetchall()
        assert connection.execute("SELECT * FROM node").fetchall() == []
        assert connection.execute("SELECT * FROM worker").fetchall() == []
        completed = Counter(
            connection.execute("SELECT physical_id, action FROM event WHERE status = 'COMPLETE'")
        )
    assert set(completed.values()) == {1}, "something was reported twice"
    present = objects(folder)
    assert {(item.id, item.creation_token) for item in present} == {
        (row[2], row[1]) for row in versions
    }
    assert {item.name for item in folder.iterdir()} == {item.id for item in present}
    created = (home / "created").read_text(encoding="utf-8").split() if has_created(home) else []
    assert len(created) == len(set(created)), "an object was created twice"
    if step == "delete":
        assert present == []
        return
    by_name = {
        row[0]: next(item for item in present if item.creation_token == row[1]) for row in versions
    }
    assert set(by_name) == NAMES
    assert len(versions) == len(NAMES)
    assert {row[4] for row in versions} == {"COMPLETE"}
    word = WORDS[step]
    assert by_name["changed"].content == word
    assert by_name["replaced"].kind == word
    assert by_name["replaced"].content == str(len(word))
    assert by_name["changed_late"].content == by_name["replaced"].id


def has_created(home: Path) -> bool:
    return (home / "created").exists()


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("step", ["create", "update", "delete"])
def test_a_process_killed_at_any_moment_is_continued(
    step: str, point: str, servers: Servers, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    before: Undisturbed = undisturbed[step]
    times = before.counts.get(point, 0)
    if (step, point) != ("delete", "within"):
        assert times >= 3

    def kill_and_continue(number: int) -> tuple[int, int]:
        home = tmp_path / str(number)
        shutil.copytree(before.before, home)
        killed = servers.run(home, step, point, number).ended
        continued = servers.run(home, step).ended
        assert continued == 0, f"after the end at {point} {number}"
        try:
            assert_right(home, step)
        except AssertionError as error:
            error.add_note(f"killed at {point} {number}, see {home}")
            raise
        return number, killed

    with ThreadPoolExecutor(AT_ONCE) as pool:
        endings = dict(pool.map(kill_and_continue, range(1, times + 1)))
    assert set(endings.values()) <= {0, -signal.SIGKILL}
    # How many commits there are differs by one or two: nodes may share one, a heartbeat adds one.
    spared = sum(ended == 0 for ended in endings.values())
    assert spared <= (2 if point == "commit" else 0)


def test_a_process_killed_when_it_has_made_its_tables_is_continued(
    servers: Servers, tmp_path: Path
) -> None:
    assert servers.run(tmp_path, "create", "commit", 1).ended == -signal.SIGKILL
    with database(tmp_path) as connection:
        assert connection.execute("SELECT * FROM stack").fetchall() == []
    assert servers.run(tmp_path, "create").ended == 0
    assert_right(tmp_path, "create")


def test_an_engine_that_did_not_look_first_would_be_caught(
    servers: Servers, tmp_path: Path
) -> None:
    assert servers.run(tmp_path, "create", "after", 1).ended == -signal.SIGKILL
    assert servers.run(tmp_path, "create", blindly=True).ended == 0
    with pytest.raises(AssertionError):
        assert_right(tmp_path, "create")
