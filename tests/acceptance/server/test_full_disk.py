"""On a full disk stacks can still be deleted, and the server says what is wrong."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.serving import PATIENCE, end, start, stop

TEMPLATE = """heat_template_version: wallaby
resources: {r: {type: OS::Heat::Value, properties: {value: %s}}}
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 48 MB; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(filler: Path) -> None:
    """Write until the disk is full."""
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def ends(address: str) -> str:
    limit = time.monotonic() + PATIENCE
    while True:
        state = str(httpx.get(address).json()["stack"]["stack_status"])
        if not state.endswith("IN_PROGRESS"):
            return state
        assert time.monotonic() < limit, state
        time.sleep(0.1)


def test_stacks_are_deleted_on_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    served = start(database=f"sqlite:///{small_disk / 'hotplate.db'}", folder=tmp_path)
    try:
        reserve = small_disk / "hotplate.db.reserve"
        assert reserve.stat().st_size == 16 * 1024 * 1024
        assert reserve.stat().st_mode & 0o777 == 0o600
        stacks = []
        for number in range(3):
            body = {"stack_name": f"s{number}", "template": TEMPLATE % number}
            answer = httpx.post(f"{served.endpoint()}/stacks", json=body)
            assert answer.status_code == 201, answer.text
            address = answer.headers["location"]
            stacks.append(address)
            assert ends(address) == "CREATE_COMPLETE"
        filler = small_disk / "filler"
        fill(filler)
        limit = time.monotonic() + PATIENCE
        while httpx.get(f"{served.url}/healthcheck").text == "OK":
            assert time.monotonic() < limit
            time.sleep(0.2)
        answer = httpx.get(f"{served.url}/healthcheck")
        assert answer.status_code == 200
        assert "only deletes are accepted" in answer.text
        assert "hotplate_disk_full 1.0" in httpx.get(f"{served.url}/metrics").text
        refused = httpx.post(
            f"{served.endpoint()}/stacks", json={"stack_name": "more", "template": TEMPLATE % 9}
        )
        assert refused.status_code == 503
        assert "disk" in refused.json()["error"]["message"]
        for address in stacks:
            assert httpx.delete(address).status_code == 204
            assert ends(address) == "DELETE_COMPLETE"
        filler.unlink()
        while httpx.get(f"{served.url}/healthcheck").text != "OK":
            assert time.monotonic() < limit + PATIENCE
            time.sleep(0.2)
        assert reserve.stat().st_size == 16 * 1024 * 1024
        body = {"stack_name": "again", "template": TEMPLATE % 9}
        assert httpx.post(f"{served.endpoint()}/stacks", json=body).status_code == 201
        stop(served)
    finally:
        end(served)
