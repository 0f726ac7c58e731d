"""How soon the command answers without a server, beside what importing its libraries costs."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from tests.benchmarks.figure import Figure

_COMMAND = str(Path(sys.executable).with_name("hotplate"))
_ROUNDS = 5
_TEMPLATE = (
    "heat_template_version: wallaby\nresources: {a: {type: OS::Heat::None}}\n"
    "outputs: {o: {value: 1}}\n"
)

_SQLALCHEMY = "import SQLAlchemy"

HELP_BOUND = 5.0
LIST_BOUND = 2.0


def figures() -> Iterator[Figure]:
    """CPU seconds of whole processes; the ratios are bounded by 5 and by 2.

    What only looks is printed with what it takes beyond importing SQLAlchemy.
    """
    with (
        tempfile.TemporaryDirectory(prefix="hotplate-") as folder,
        tempfile.TemporaryDirectory(prefix="hotplate-") as nothing_there,
    ):
        home, empty = Path(folder), Path(nothing_there)
        (home / "app.yaml").write_text(_TEMPLATE, encoding="utf-8")
        run([_COMMAND, "up", str(home / "app.yaml"), "--yes"], home)
        nothing = [sys.executable, "-c", "pass"]
        imports = [sys.executable, "-c", "import sqlalchemy, starlette.applications"]
        for name, arguments, baseline in (
            ("python -c pass", nothing, ""),
            ("hotplate --help", [_COMMAND, "--help"], "python -c pass"),
            ("import SQLAlchemy and Starlette", imports, ""),
            ("hotplate tree", [_COMMAND, "tree", "app"], "import SQLAlchemy and Starlette"),
        ):
            yield Figure(name, 1, _fastest(arguments, home), baseline)
        least = _fastest([sys.executable, "-c", "import sqlalchemy"], home)
        yield Figure(_SQLALCHEMY, 1, least)
        for name, place, arguments in (
            ("hotplate ls", home, ["ls"]),
            ("hotplate ls, no database", empty, ["ls"]),
            ("hotplate show", home, ["show", "app"]),
            ("hotplate outputs", home, ["outputs", "app"]),
            ("hotplate template validate", home, ["template", "validate", "app.yaml"]),
        ):
            seconds = _fastest([_COMMAND, *arguments], place)
            note = f"{seconds - least:+.2f} s"
            yield Figure(name, 1, seconds, _SQLALCHEMY, note)


def _fastest(arguments: Sequence[str], home: Path) -> float:
    return min(run(arguments, home) for _ in range(_ROUNDS))


def run(arguments: Sequence[str], home: Path) -> float:
    """Return the CPU seconds that a process took."""
    clean = {
        name: text for name, text in os.environ.items() if not name.startswith(("HOTPLATE_", "OS_"))
    }
    # An installed package has its bytecode: whoever uses it does not wait for a compiler.
    clean.pop("PYTHONDONTWRITEBYTECODE", None)
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        arguments,
        stdout=subprocess.DEVNULL,
        check=True,
        cwd=home,
        env=clean | {"HOME": str(home), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""},
    )
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
