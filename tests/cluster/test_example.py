"""The example that starts a whole cluster on one machine does so, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cluster.processes import Cluster, template
from tests.shared_process import free_port, is_alive

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user can get to, too; folders of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_the_example_brings_a_stack_up_and_cleans_up_after_itself(folder: Path) -> None:
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LISTEN": "127.0.0.1:0",
        "DATABASE_PORT": str(free_port()),
        "BROKER_PORT": str(free_port()),
    }
    command = ["sh", "examples/cluster/cluster.sh"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environ, text=True, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            words = process.stdout.readline()
            assert words.startswith("2 workers"), words
            cluster = Cluster(folder, "", "", url=address[0])
            cluster.create("s", template(r={"type": "OS::Heat::RandomString"}))
            assert cluster.ended("s") == "CREATE_COMPLETE"
            pids = [int(word) for word in children_of(process.pid)]
        finally:
            process.send_signal(signal.SIGTERM)
            assert ended(process, folder) == 0
    assert len(pids) >= 6
    assert not [pid for pid in pids if is_alive(pid)]
    assert not list(folder.glob("tmp.*"))
    try:
        httpx.get(address[0])
    except httpx.ConnectError:
        return
    raise AssertionError("the API still answers")


def ended(process: "subprocess.Popen[str]", folder: Path) -> int:
    """Return how the example has ended; if it does not, say which of its programs still run."""
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        left = [Path(f"/proc/{pid}/cmdline").read_text() for pid in children_of(process.pid)]
        logs = [f"{file.name}:\n{file.read_text()[-2_000:]}" for file in folder.rglob("*.log")]
        for pid in map(int, children_of(process.pid)):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        words = "\n".join(["it does not end, for these still run:", *left, *logs])
        raise AssertionError(words) from None


def children_of(pid: int) -> list[str]:
    """Return the numbers of the processes that a process has started."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
