"""Installs the cloud: environment, configuration, databases, content; once for each lock file.

The databases are made by the services' own migrations, which is most of the work. What comes out
is kept as a copy: starting anew from it takes seconds.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.cloud.box.configure import configure
from tests.cloud.box.content import Administrator
from tests.cloud.box.database import create_databases, install_packages
from tests.cloud.box.environment import LOCK, make_environment
from tests.cloud.box.places import (
    CLOUD,
    ETC,
    KEYSTONE,
    LOG,
    PASSWORD,
    PRISTINE,
    PYTHON,
    REGION,
    RUN,
    SERVICES,
    VAR,
    VENV,
    database_url,
)
from tests.cloud.box.processes import Broken, environment, start, stop

_HERE: Final = Path(__file__).parent

_STAMP: Final = PRISTINE / "installed"
_BEGAN: Final = time.monotonic()


def say(text: str) -> None:
    """Print what comes next, and how many seconds have passed."""
    print(f"[{time.monotonic() - _BEGAN:5.0f} s] {text}", flush=True)


def is_installed() -> bool:
    """Return whether what is installed is what the repository describes."""
    return _STAMP.exists() and _STAMP.read_text() == _fingerprint()


def install() -> None:
    """Install everything anew; what tests have made in the cloud is lost. Raises Broken."""
    for folder in (CLOUD, ETC, RUN / "lock", LOG):
        folder.mkdir(parents=True, exist_ok=True)
    stop(SERVICES)
    stop(["db"], 30)
    say(f"installing into {CLOUD}, once; this takes some minutes")
    install_packages()
    make_environment()
    for folder in (VAR, PRISTINE):
        shutil.rmtree(folder, ignore_errors=True)
    configure()
    _keystone_keys()
    _run("prepare", [[PYTHON, "-m", "tests.cloud.box.prepare"]])
    say("databases")
    create_databases()
    with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as threads:
        list(threads.map(_run, *zip(*_migrations().items(), strict=True)))
    say("users, catalogue and what templates refer to")
    start(["keystone"])
    Administrator().fill_keystone()
    start(SERVICES)
    Administrator().fill_services()
    stop(SERVICES)
    stop(["db"], 30)
    shutil.copytree(VAR, PRISTINE, symlinks=True)
    _STAMP.write_text(_fingerprint())
    say("installed")


def restore() -> None:
    """Put everything back as it was right after the installation; nothing may run."""
    shutil.rmtree(VAR, ignore_errors=True)
    copy = ["cp", "-a", "--reflink=auto", "--sparse=always"]
    subprocess.run([*copy, PRISTINE, VAR], check=True)


def _fingerprint() -> str:
    parts = [LOCK, *sorted(_HERE.glob("*.py"))]
    inputs = [part for part in parts if part.name in _INPUTS]
    return hashlib.sha256(b"".join(part.read_bytes() for part in inputs)).hexdigest()


_INPUTS: Final = frozenset(
    ("requirements.lock", "configure.py", "content.py", "places.py", "prepare.py", "swift.py")
)
"""The files on which the outcome of an installation depends."""


def _migrations() -> dict[str, list[list[str | Path]]]:
    """Return the commands that make the tables of each service, the longest first."""

    def tool(name: str, *arguments: str | Path) -> list[str | Path]:
        return [VENV / "bin" / name, *arguments]

    def file(service: str) -> tuple[str, Path]:
        return "--config-file", ETC / service / f"{service}.conf"

    def nova(*arguments: str) -> list[str | Path]:
        return tool("nova-manage", *file("nova"), *arguments)

    cell0, cell1 = database_url("nova_cell0"), database_url("nova_cell1")
    urls = [
        argument
        for kind in ("public", "internal", "admin")
        for argument in (f"--bootstrap-{kind}-url", KEYSTONE)
    ]
    account = ["--bootstrap-password", PASSWORD, "--bootstrap-region-id", REGION, *urls]
    return {
        "neutron": [tool("neutron-db-manage", *file("neutron"), "upgrade", "heads")],
        "nova": [
            nova("api_db", "sync"),
            nova("cell_v2", "map_cell0", "--database_connection", cell0),
            nova(
                *("cell_v2", "create_cell", "--name", "cell1"),
                *("--transport-url", "fake:///", "--database_connection", cell1),
            ),
            nova("db", "sync"),
        ],
        "keystone": [
            tool("keystone-manage", *file("keystone"), "db_sync"),
            tool("keystone-manage", *file("keystone"), "bootstrap", *account),
        ],
        "octavia": [tool("octavia-db-manage", *file("octavia"), "upgrade", "head")],
        "designate": [tool("designate-manage", *file("designate"), "database", "sync")],
        "cinder": [tool("cinder-manage", *file("cinder"), "db", "sync")],
        "barbican": [tool("barbican-db-manage", "--dburl", database_url("barbican"), "upgrade")],
        "glance": [
            tool("glance-manage", "--config-file", ETC / "glance/glance-api.conf", "db_sync")
        ],
        "placement": [tool("placement-manage", "--config-dir", ETC / "placement", "db", "sync")],
    }


def _run(name: str, commands: list[list[str | Path]]) -> None:
    """Run programs of a service one after the other. Raises Broken."""
    log = LOG / f"install-{name}.log"
    with log.open("wb") as out:
        for command in commands:
            done = subprocess.run(
                command, env=environment(name), stdout=out, stderr=out, cwd=RUN, check=False
            )
            if done.returncode:
                raise Broken(f"{' '.join(map(str, command))} failed: see {log}")


def _keystone_keys() -> None:
    for kind in ("fernet-keys", "credential-keys"):
        folder = ETC / "keystone" / kind
        folder.mkdir(mode=0o700, exist_ok=True)
        for name in "01":
            (folder / name).write_bytes(base64.urlsafe_b64encode(os.urandom(32)))
