"""The Python environment of the services, from a lock file that names all they need."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.cloud.box.places import PYTHON, VENV
from tests.cloud.box.processes import Broken

LOCK: Final = Path(__file__).with_name("requirements.lock")
_INSTALLER: Final = Path(__file__).with_name("installer.lock")
_STAMP: Final = VENV / "installed"
_LOCKED: Final = ("--require-hashes", "--no-deps")


def make_environment() -> None:
    """Install what the lock file names, unless that has been done. Raises Broken.

    pip fetches 190 packages one after the other, which takes minutes; uv does it in one. Where uv
    cannot reach an index, because only pip is configured for it, pip does it all.
    """
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if _STAMP.exists() and _STAMP.read_text() == wanted:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    _run([sys.executable, "-m", "venv", VENV])
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_LOCKED]
    _run([*pip, "-r", _INSTALLER])
    try:
        _run([VENV / "bin/uv", "pip", "install", "--python", PYTHON, *_LOCKED, "-r", LOCK])
    except Broken:
        _run([*pip, "-r", LOCK])
    _STAMP.write_text(wanted)


def _run(command: list[Any]) -> None:
    # By itself uv trusts the certificates that it brings along, and no others.
    trusting = {**os.environ, "UV_NATIVE_TLS": "true"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=trusting)
    if done.returncode:
        raise Broken(f"{' '.join(map(str, command))} failed:\n{done.stderr[-3000:]}")
