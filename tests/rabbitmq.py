"""A private RabbitMQ on this machine: own ports, node, cookie and data, shared by a test run."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared_process import enter, free_port, has_users, is_alive, locked

_PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_PATIENCE = 60.0
"""Seconds until a broker that was started must answer; a busy machine takes some twenty."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker of the tests."""

    folder: Path
    port: int
    dist_port: int
    epmd_port: int

    @property
    def url(self) -> str:
        """Where it is, with the account that every new RabbitMQ has on loopback."""
        return f"amqp://guest:guest@127.0.0.1:{self.port}/"

    @property
    def pid(self) -> int:
        """The number of its first process."""
        return self._pid("broker")

    def start(self) -> None:
        """Start it; returns when it takes connections."""
        # Started by hand: a daemon that Erlang starts itself stays when the broker has ended.
        self._spawn(["epmd", "-address", "127.0.0.1", "-port", str(self.epmd_port)], "epmd")
        self._spawn([str(_PROGRAM)], "broker")
        end = time.monotonic() + _PATIENCE
        while not self._answers():
            if time.monotonic() > end or not is_alive(self._pid("broker")):
                log = (self.folder / "broker.log").read_text(errors="replace")
                raise RuntimeError(f"RabbitMQ did not start:\n{log[-4000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End it as a crash of its machine would; what it has confirmed is on its disk."""
        for name in ("broker", "epmd"):
            pid = self._pid(name)
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            while is_alive(pid):
                time.sleep(0.01)

    def restart(self) -> None:
        """End it and start it again."""
        self.stop()
        self.start()

    def wipe(self) -> None:
        """Let it come back without anything that it knew."""
        self.stop()
        shutil.rmtree(self.folder / "data")
        self.start()

    def remove(self) -> None:
        """End it, and remove what it wrote."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _spawn(self, command: list[str], name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env=self._environment(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        process.returncode = 0  # it may outlive this process, which is no fault of anybody's
        (self.folder / f"{name}.pid").write_text(str(process.pid))

    def _pid(self, name: str) -> int:
        return int((self.folder / f"{name}.pid").read_text())

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.settimeout(2)
                # It answers with a frame of its own once it is up.
                connection.sendall(b"AMQP\x00\x00\x09\x01")
                return connection.recv(1) == b"\x01"
        except OSError:
            return False

    def _environment(self) -> dict[str, str]:
        folder = self.folder
        return {
            "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin",
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "RABBITMQ_NODENAME": f"hotplate{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.dist_port),
            "ERL_EPMD_PORT": str(self.epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "environment"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder / "logs"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none "
            "-kernel inet_dist_use_interface {127,0,0,1}",
        }


def start_broker() -> Broker:
    """Start a new broker."""
    if not _PROGRAM.exists():
        text = "RabbitMQ is not installed; on Debian: apt-get install rabbitmq-server"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    folder = Path(tempfile.mkdtemp(prefix="hotplate-rabbitmq-"))
    broker = Broker(folder, free_port(), free_port(), free_port())
    (folder / "plugins").write_text("[].\n")
    (folder / "environment").touch()
    (folder / "advanced.config").write_text("[].\n")
    # Its own check of the disk would block every publisher on a machine that is nearly full.
    (folder / "rabbitmq.conf").write_text("disk_free_limit.absolute = 1MB\nlog.file.level = info\n")
    try:
        broker.start()
    except BaseException:
        broker.remove()
        raise
    return broker


@contextmanager
def shared_broker() -> Iterator[Broker]:
    """Start a broker or join the others of this test run; the last to leave stops it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    home = Path(tempfile.gettempdir()) / f"hotplate-{run}" / "rabbitmq"
    state, users = home / "state.json", home / "users"
    with locked(home):
        mark = enter(users)
        if not state.exists():
            broker = start_broker()
            ports = (broker.port, broker.dist_port, broker.epmd_port)
            state.write_text(json.dumps([str(broker.folder), *ports]))
        folder, *numbers = json.loads(state.read_text())
    broker = Broker(Path(folder), *numbers)
    try:
        yield broker
    finally:
        with locked(home):
            mark.unlink()
            if not has_users(users):
                broker.remove()
                shutil.rmtree(home)
                with suppress(OSError):  # the home of another kind is there
                    home.parent.rmdir()
