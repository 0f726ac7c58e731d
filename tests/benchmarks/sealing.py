"""What sealing costs: the engine, the command, and memory at rest.

Both sides are run in turn, so whatever else the machine does strikes both; CPU seconds, medians.
SEALING_ROUNDS is how many runs each side has; 9 unless told.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import httpx

from tests.acceptance.serving import COMMAND, PATIENCE, serving
from tests.benchmarks.command import run
from tests.benchmarks.engine import flat, life
from tests.benchmarks.figure import Figure

_ROUNDS = int(os.environ.get("SEALING_ROUNDS", "9"))
_COUNT = 1_000
_GOALS = {"create": "at most 1.10"}
_SIDES = ("not sealed", "sealed")
_DEMO = Path(__file__).parents[2] / "examples" / "shop"
_COMMAND = """
import hotplate.store.database as database
if {is_plain}:
    real = database.Database.__init__
    def plain(self, *arguments, **named):
        real(self, *arguments, **(named | {{"sealer": None}}))
    database.Database.__init__ = plain
from hotplate.cli.main import main
main()
"""
_IDLE = """
import asyncio, pathlib, sys
from hotplate.engine.embedded import embedded, sealed
from hotplate.server.service import application
async def rest():
    folder = pathlib.Path(sys.argv[1])
    async with embedded(folder / "rest.db", open_database=sealed(folder / "rest.key")) as engine:
        application(engine)
        await asyncio.sleep(0.5)
        print(pathlib.Path("/proc/self/smaps_rollup").read_text())
asyncio.run(rest())
"""


def figures() -> Iterator[Figure]:
    """Each pair of figures and its ratio; memory is in MB."""
    yield from _engine()
    with tempfile.TemporaryDirectory(prefix="hotplate-") as folder:
        yield from _commands(Path(folder))
        yield from _memory(Path(folder))


def _engine() -> Iterator[Figure]:
    steps = ("create", "no change", "one change", "delete")
    found: dict[tuple[str, bool], list[float]] = {}
    for number in range(_ROUNDS + 1):
        for is_sealed in _in_turn(number):
            for step, seconds in asyncio.run(life(flat, _COUNT, is_sealed)).items():
                if number:  # the first round warms everything up
                    found.setdefault((step, is_sealed), []).append(seconds)
    for step in steps:
        names = [f"{step}, flat stack of {_COUNT:,}, {side}" for side in _SIDES]
        yield Figure(names[0], _COUNT, median(found[step, False]))
        note = _GOALS.get(step, "")
        yield Figure(names[1], _COUNT, median(found[step, True]), names[0], note)


def _commands(folder: Path) -> Iterator[Figure]:
    """Compare whole processes; the one that does not seal has a database of its own."""
    found: dict[tuple[str, bool], list[float]] = {}
    for number in range(_ROUNDS + 1):
        for is_sealed in _in_turn(number):
            home = folder / f"{number}-{_SIDES[is_sealed]}".replace(" ", "-")
            shutil.copytree(_DEMO, home)
            program = [sys.executable, "-c", _COMMAND.format(is_plain=not is_sealed)]
            for name, arguments in (
                ("up", ["up", "shop.yaml", "-e", "shop.env.yaml", "--yes"]),
                ("ls", ["ls"]),
            ):
                seconds = run([*program, *arguments], home)
                if number:
                    found.setdefault((name, is_sealed), []).append(seconds)
    for name in ("up", "ls"):
        names = [f"hotplate {name}, {side}" for side in _SIDES]
        yield Figure(names[0], 1, median(found[name, False]))
        yield Figure(names[1], 1, median(found[name, True]), names[0], "at most 1.10")


def _in_turn(number: int) -> Sequence[bool]:
    return (False, True) if number % 2 else (True, False)


def _memory(folder: Path) -> Iterator[Figure]:
    for _ in range(2):  # the first one makes the database, which is done once
        rolled = subprocess.run(
            [sys.executable, "-c", _IDLE, str(folder)], check=True, capture_output=True, text=True
        ).stdout
    yield Figure("embedded engine at rest, MB", 1, _kilobytes(rolled, "Rss") / 1e3, note="below 90")
    with serving(command=COMMAND) as served:
        body = {"template": _heavy()}
        for _ in range(3):
            httpx.post(f"{served.endpoint()}/validate", json=body, timeout=PATIENCE)
        pid = served.process.pid
        yield Figure("server at rest, resident MB", 1, _own(pid, "Rss"))
        for number, child in enumerate(_below(pid)):
            note = f"{_own(child, 'Pss'):.1f} MB of it its own share"
            name = f"process {number + 1} of its pool, resident MB"
            yield Figure(name, 1, _own(child, "Rss"), note=note)


def _heavy() -> str:
    """Return a template that is too much for a moment, so that a process is started for it."""
    value = "{repeat: {for_each: {<%i%>: [1, 2, 3]}, template: x<%i%>}}"
    return "heat_template_version: wallaby\nresources:\n" + "".join(
        f"  r{number}: {{type: OS::Heat::Value, properties: {{value: {value}}}}}\n"
        for number in range(400)
    )


def _own(pid: int, name: str) -> float:
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup").read_text("ascii"), name) / 1e3


def _kilobytes(text: str, name: str) -> int:
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name}:"))


def _below(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    found: list[int] = []
    for each in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid or parent in found:
            found.append(int(each.name))
    return found
