"""Virtual environments for programs that tests run beside the package, from lock files.

They are kept in the user's cache, so that all clones of the repository share them.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.shared_process import locked


def locked_environment(name: str, lock: Path) -> Path:
    """Return the Python of an environment with what ``lock`` names; make it if there is none.

    It is made once for each content of the lock file; what nobody needs any more may be removed.
    Any process may ask at any time.
    """
    wanted = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "hotplate" / f"{name}-{wanted[:12]}"
    folder, stamp = home / "venv", home / "installed"
    python = folder / "bin" / "python"
    with locked(home):
        if not stamp.exists():
            shutil.rmtree(folder, ignore_errors=True)
            _run([sys.executable, "-m", "venv", folder])
            quiet = ["--quiet", "--disable-pip-version-check", "--retries", "5"]
            # The lock names everything, and Python compiles what is imported, a part of it.
            named = ["--no-deps", "--no-compile", "--require-hashes", "-r", lock]
            _run([python, "-m", "pip", "install", *quiet, *named])
            stamp.touch()
    return python


def _run(command: list[Any]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
