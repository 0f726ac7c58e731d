"""A release as its users get it: built from the source distribution, installed apart, and run.

The environment has the wheel, what runtime.lock names, and nothing of this checkout.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import httpx
import pytest

import hotplate
from tests.acceptance.serving import PATIENCE, end, start, stop

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "hotplate"
PINNED = re.compile(r"^([\w.-]+)==", re.MULTILINE)


def run(command: list[str | Path], folder: Path) -> str:
    """Run a command that succeeds, as a user without any configuration; return what it prints."""
    mine = ("HOTPLATE_", "OS_", "PYTHON", "PIP_", "XDG_")
    clean = {name: text for name, text in os.environ.items() if not name.startswith(mine)}
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean | {"HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `make dist` would publish, built from a copy: builds leave traces."""
    folder = tmp_path_factory.mktemp("source")
    traces = shutil.ignore_patterns("__pycache__")
    for name in ("hotplate", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=traces)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    run([sys.executable, "-m", "build", "--no-isolation", folder], folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it needs to run."""
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in PINNED.findall((ROOT / "runtime.lock").read_text(encoding="utf-8")):
        _link(name, packages)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    run([*pip, "install", "--no-deps", "--no-index", "--no-compile", wheel], folder)
    return folder / "bin"


def _link(name: str, packages: Path) -> None:
    """Put an installed distribution into another environment; installing it is not the subject."""
    found = distribution(name)
    for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        link = packages / top
        if not link.exists():
            link.symlink_to(str(found.locate_file(top)))


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    files = {
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("hotplate/")}
    assert packed == files


def test_nothing_of_the_checkout_is_reached(environment: Path, tmp_path: Path) -> None:
    probe = "import hotplate, json, sys; print(json.dumps([hotplate.__file__, *sys.path]))"
    module, *path = json.loads(run([environment / "python", "-c", probe], tmp_path))
    assert Path(module).is_relative_to(environment.parent)
    assert not [entry for entry in path if Path(entry or tmp_path).is_relative_to(ROOT)]


def test_the_metadata_has_the_version_of_the_code(environment: Path, tmp_path: Path) -> None:
    assert (
        run([environment / "hotplate", "version"], tmp_path)
        == f"hotplate, version {hotplate.__version__}\n"
    )
    probe = "import importlib.metadata as m; print(m.version('hotplate'))"
    said = run([environment / "python", "-c", probe], tmp_path)
    assert said.strip() == hotplate.__version__


def test_an_example_comes_up_and_goes_down(environment: Path, tmp_path: Path) -> None:
    command, shop = environment / "hotplate", ROOT / "examples" / "shop"
    flags: list[str | Path] = ["-e", shop / "shop.env.yaml", "--parameter", "pace=0", "--yes"]
    assert "CREATE_COMPLETE" in run([command, "up", shop / "shop.yaml", *flags], tmp_path)
    assert "DELETE_COMPLETE" in run([command, "down", "shop", "--yes"], tmp_path)


def test_the_server_answers(environment: Path, tmp_path: Path) -> None:
    served = start(
        command=environment / "hotplate", database=f"sqlite:///{tmp_path}/db", folder=tmp_path
    )
    try:
        assert httpx.get(f"{served.endpoint()}/stacks").json() == {"stacks": []}
        stop(served)
    finally:
        end(served)
