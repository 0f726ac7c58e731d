"""Virtual environments for programs that tests run beside the package, from lock files."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any


def locked_environment(folder: Path, lock: Path) -> Path:
    """Return the Python of an environment with what ``lock`` names; make it if there is none.

    It is made once for each content of the lock file. Only one process at a time may ask for a
    folder.
    """
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    python, stamp = folder / "bin" / "python", folder / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", folder])
        quiet = ["--quiet", "--disable-pip-version-check", "--retries", "5"]
        # The lock names everything, and Python compiles what is imported: a part of what is there.
        named = ["--no-deps", "--no-compile", "--require-hashes", "-r", lock]
        _run([python, "-m", "pip", "install", *quiet, *named])
        stamp.write_text(wanted)
    return python


def _run(command: list[Any]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
