"""Private database servers for tests: from Debian's packages, on free ports, in folders of ours.

Debian's own services are neither used nor touched. A server is started when the first test asks
for it; all processes of a test run share it, and the last of them stops it. Every test gets a
database of its own.
"""

import atexit
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import NullPool, create_engine
from sqlalchemy.exc import OperationalError

from hotplate.store.database import open_engine
from hotplate.store.upgrade import SCRIPTS, known_revisions, upgrade
from tests.shared_process import enter, free_port, has_users, is_alive, locked

KINDS = ("sqlite", "postgresql", "mariadb")
_PATIENCE = 60.0
_INSTALL = "apt-get install --no-install-recommends postgresql mariadb-server"


@dataclass(slots=True)
class Server:
    """A running server, perhaps started by another process of the test run."""

    pid: int
    folder: Path
    """Holds all it writes."""
    admin_url: str
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"hotplate_{os.getpid()}_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.admin_url.rsplit("/", 1)[0] + f"/{name}"

    def drop_database(self, url: str) -> None:
        """Remove a database; nobody may be connected any more."""
        self.execute(f"DROP DATABASE {url.rsplit('/', 1)[1]}")

    def execute(self, statement: str) -> None:
        """Run one statement as the administrator."""
        engine = create_engine(self.admin_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    def wait(self) -> None:
        """Return when the server answers."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except OperationalError:
                if not is_alive(self.pid) or time.monotonic() > end:
                    log = (self.folder / "log").read_text(errors="replace")
                    raise RuntimeError(f"the server did not start:\n{log}") from None
                time.sleep(0.05)
            else:
                return

    def restart(self) -> None:
        """Let it crash, and start it again: what it has confirmed is there."""
        # The first process of PostgreSQL ends the others only if it is asked to.
        number = signal.SIGQUIT if "postgres" in self.admin_url else signal.SIGKILL
        self._end(number, signal.SIGKILL)
        self.pid = _begin(json.loads((self.folder / "command").read_text()), self.folder)
        self.wait()

    def stop(self) -> None:
        """End the server and remove what it wrote."""
        number = signal.SIGINT if "postgres" in self.admin_url else signal.SIGTERM
        self._end(number, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self, *numbers: signal.Signals) -> None:
        for each in numbers:
            with suppress(ProcessLookupError):
                os.kill(self.pid, each)
            end = time.monotonic() + _PATIENCE / 2
            while is_alive(self.pid) and time.monotonic() < end:
                time.sleep(0.01)


def start_postgresql() -> Server:
    """Start PostgreSQL; it refuses to run as root, so root starts it as its own user."""
    programs = _postgresql_programs()
    folder = _folder("postgresql")
    user = _as_user("postgres", folder)
    data = folder / "data"
    initialise = ["--username=hotplate", "--auth=trust", "--encoding=UTF8", "--no-locale"]
    _run([*user, programs / "initdb", "--no-sync", *initialise, "--pgdata", data], folder)
    port = free_port()
    settings = [
        "listen_addresses=127.0.0.1",
        f"port={port}",
        f"unix_socket_directories={folder}",
        "fsync=off",
        "full_page_writes=off",
        "autovacuum=off",
        "jit=off",
        "max_connections=400",
        "deadlock_timeout=100ms",
    ]
    command = [*user, programs / "postgres", "-D", data]
    for setting in settings:
        command += ["-c", setting]
    url = f"postgresql+psycopg://hotplate@127.0.0.1:{port}/postgres"
    return _started(command, folder, url)


def start_mariadb(*settings: str) -> Server:
    """Start MariaDB. Its default character set is an old one, as in clouds that grew old."""
    folder = _folder("mariadb")
    is_root = os.geteuid() == 0
    user = ["--user=mysql"] if is_root else []
    _as_user("mysql", folder)
    data = folder / "data"
    _run(
        [
            "mariadb-install-db",
            "--no-defaults",
            *user,
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
        folder,
    )
    port = free_port()
    command: list[str | Path] = [
        _program("mariadbd"),
        "--no-defaults",
        *user,
        f"--datadir={data}",
        f"--socket={folder / 'socket'}",
        f"--pid-file={folder / 'pid'}",
        "--bind-address=127.0.0.1",
        f"--port={port}",
        "--max-connections=400",
        "--innodb-buffer-pool-size=256M",
        "--innodb-flush-log-at-trx-commit=2",
        "--debug-no-sync",
        "--skip-innodb-doublewrite",
        "--character-set-server=utf8mb3",
        "--collation-server=utf8mb3_general_ci",
        *settings,
    ]
    return _started(command, folder, f"mariadb+pymysql://root@127.0.0.1:{port}/mysql")


def _started(command: list[str | Path], folder: Path, url: str) -> Server:
    words = [str(word) for word in command]
    (folder / "command").write_text(json.dumps(words))
    server = Server(_begin(words, folder), folder, url)
    try:
        server.wait()
    except BaseException:
        server.stop()
        raise
    return server


def _begin(command: list[str], folder: Path) -> int:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
        )
    process.returncode = 0  # it may outlive this process, which is no fault of anybody's
    return process.pid


def _folder(kind: str) -> Path:
    # Short, because the path of a socket may have no more than a hundred characters.
    return Path(tempfile.mkdtemp(prefix=f"hotplate-{kind}-"))


def _as_user(name: str, folder: Path) -> list[str | Path]:
    """Give the folder to the server's user; return the words that start a program as that user."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, name, name)
    return [_program("setpriv"), f"--reuid={name}", f"--regid={name}", "--init-groups"]


def _run(command: list[str | Path], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")


def _program(name: str) -> Path:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")
    if found is None:
        _missing(name)
    return Path(found)


def _postgresql_programs() -> Path:
    """Return the folder with the newest server's programs; Debian keeps them off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_major)
    return found[-1].parent if found else _program("initdb").parent


def _major(path: Path) -> int:
    return int(path.parts[-3])


def _missing(name: str) -> NoReturn:
    text = f"{name} is not installed; on Debian: {_INSTALL}"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)


@contextmanager
def _shared(kind: str, start: Callable[[], Server]) -> Iterator[Server]:
    """Start a server or join the others of this test run; the last to leave stops it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    home = Path(tempfile.gettempdir()) / f"hotplate-{run}" / kind
    state, users = home / "state.json", home / "users"
    with locked(home):
        mark = enter(users)
        if not state.exists():
            server = start()
            state.write_text(json.dumps([server.pid, str(server.folder), server.admin_url]))
        pid, folder, admin_url = json.loads(state.read_text())
    try:
        yield Server(pid, Path(folder), admin_url)
    finally:
        with locked(home):
            mark.unlink()
            if not has_users(users):
                Server(pid, Path(folder), admin_url).stop()
                shutil.rmtree(home)
                with suppress(OSError):  # the home of another kind is there
                    home.parent.rmdir()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """A private PostgreSQL."""
    with _shared("postgresql", start_postgresql) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[Server]:
    """A private MariaDB."""
    with _shared("mariadb", start_mariadb) as server:
        yield server


def scripts_up_to(newest: str, folder: Path) -> Path:
    """Copy the migrations up to one of them into a folder, and return where they are."""
    scripts = folder / "older"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    for revision in known_revisions():
        if revision > newest:
            next((scripts / "versions").glob(f"{revision}_*.py")).unlink()
    return scripts


def new_sqlite_file(path: Path) -> Path:
    """Make an SQLite file with the newest schema: migrated once in a process, then copied."""
    shutil.copyfile(_migrated_file(), path)
    path.chmod(0o600)
    return path


def sqlite_file(path: Path) -> Path:
    """Return an SQLite file with the newest schema; it is made unless it is there."""
    return path if path.exists() else new_sqlite_file(path)


@cache
def _migrated_file() -> Path:
    folder = _folder("sqlite")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    engine = open_engine(f"sqlite:///{folder / 'migrated.db'}")
    upgrade(engine)
    engine.dispose()  # the last one who leaves writes the log into the file
    return folder / "migrated.db"


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database: each test runs once on each kind."""
    yield from _database(request, tmp_path)


@pytest.fixture(params=KINDS[1:])
def server_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database in which transactions run at the same time."""
    yield from _database(request, tmp_path)


def _database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'hotplate.db'}"
        return
    server: Server = request.getfixturevalue(f"{request.param}_server")
    url = server.new_database()
    yield url
    server.drop_database(url)
