"""The example of a type made of workflows does what it says, by the real command."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("hotplate")


@pytest.fixture
def service() -> Iterator[str]:
    """The service of the example; its address."""
    process = subprocess.Popen(
        [sys.executable, ROOT / "examples" / "records" / "service.py", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+(?=/)", process.stdout.readline())
    assert found is not None
    yield found[0]
    process.terminate()
    process.wait()
    process.stdout.close()


def records(service: str) -> Any:
    with urllib.request.urlopen(f"{service}/records", timeout=10) as answer:
        return json.load(answer)


def test_a_record_comes_changes_is_replaced_and_goes(service: str, tmp_path: Path) -> None:
    environ = {name: text for name, text in os.environ.items() if not name.startswith("HOTPLATE_")}
    environ |= {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    def hotplate(*words: str) -> str:
        done = subprocess.run(
            [COMMAND, *words],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def up(**parameters: str) -> Any:
        given = {"service": service, **parameters}
        words = [word for name, text in given.items() for word in ("--parameter", f"{name}={text}")]
        hotplate("up", "examples/records/records.yaml", "--yes", *words)
        return records(service)

    first = {"id": "record-1", "host": "www.example.org", "address": "192.0.2.1"}
    assert up() == [first]
    assert f"{service}/records/record-1" in hotplate("outputs", "records", "url")
    assert up(address="192.0.2.2") == [{**first, "address": "192.0.2.2"}]
    second = {"id": "record-2", "host": "mail.example.org", "address": "192.0.2.2"}
    assert up(address="192.0.2.2", host="mail.example.org") == [second]
    hotplate("down", "records", "--yes")
    assert records(service) == []
