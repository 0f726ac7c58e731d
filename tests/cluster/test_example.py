"""The example that starts a whole cluster on one machine does so, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from tests.cluster.processes import Cluster, template
from tests.shared_process import free_port, is_alive

ROOT = Path(__file__).parents[2]


def test_the_example_brings_a_stack_up_and_cleans_up_after_itself(tmp_path: Path) -> None:
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "LISTEN": "127.0.0.1:0",
        "DATABASE_PORT": str(free_port()),
        "BROKER_PORT": str(free_port()),
    }
    tmp_path.chmod(0o755)
    for above in tmp_path.parents[:3]:  # the database's user must be able to get there
        above.chmod(0o755)
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
            cluster = Cluster(tmp_path, "", "", url=address[0])
            cluster.create("s", template(r={"type": "OS::Heat::RandomString"}))
            assert cluster.ended("s") == "CREATE_COMPLETE"
            pids = [int(word) for word in children_of(process.pid)]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    assert len(pids) >= 6
    assert not [pid for pid in pids if is_alive(pid)]
    assert not list(tmp_path.glob("tmp.*"))
    try:
        httpx.get(address[0])
    except httpx.ConnectError:
        return
    raise AssertionError("the API still answers")


def children_of(pid: int) -> list[str]:
    """Return the numbers of the processes that a process has started."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
