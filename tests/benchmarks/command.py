"""How soon the command answers: its help, and the list of stacks on an embedded database."""

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
_TEMPLATE = "heat_template_version: wallaby\nresources: {a: {type: OS::Heat::None}}\n"

HELP_BOUND = 5.0
LIST_BOUND = 2.0


def figures() -> Iterator[Figure]:
    """CPU seconds of whole processes; the ratios are bounded by 5 and by 2."""
    with tempfile.TemporaryDirectory(prefix="hotplate-") as folder:
        home = Path(folder)
        (home / "app.yaml").write_text(_TEMPLATE, encoding="utf-8")
        _run([_COMMAND, "up", str(home / "app.yaml"), "--yes"], home)
        nothing = [sys.executable, "-c", "pass"]
        imports = [sys.executable, "-c", "import sqlalchemy, starlette.applications"]
        for name, arguments, baseline in (
            ("python -c pass", nothing, ""),
            ("hotplate --help", [_COMMAND, "--help"], "python -c pass"),
            ("import SQLAlchemy and Starlette", imports, ""),
            ("hotplate ls", [_COMMAND, "ls"], "import SQLAlchemy and Starlette"),
            ("hotplate tree", [_COMMAND, "tree", "app"], "import SQLAlchemy and Starlette"),
        ):
            seconds = min(_run(arguments, home) for _ in range(_ROUNDS))
            yield Figure(name, 1, seconds, baseline)


def _run(arguments: Sequence[str], home: Path) -> float:
    """Return the CPU seconds that a process took."""
    clean = {
        name: text for name, text in os.environ.items() if not name.startswith(("HOTPLATE_", "OS_"))
    }
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
