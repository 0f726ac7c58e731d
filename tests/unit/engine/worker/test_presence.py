"""A worker's name tells whether its process has certainly ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotplate.engine.worker import presence
from hotplate.engine.worker.presence import name_of_this_process, process_has_ended


def test_a_process_that_runs_is_not_gone() -> None:
    assert not process_has_ended(name_of_this_process())
    assert len(name_of_this_process()) < 200


def test_a_process_that_has_ended_is_gone() -> None:
    code = "from hotplate.engine.worker.presence import name_of_this_process as name; print(name())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process_has_ended(ended.stdout.strip())


def test_a_process_that_nobody_has_buried_yet_is_gone() -> None:
    place, _, _ = name_of_this_process().split(" ")
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="utf-8").split(")")[1].split()
        assert process_has_ended(f"{place} {child.pid} {fields[19]}")


def test_another_process_with_the_same_number_is_told_apart_by_its_start() -> None:
    place, pid, start = name_of_this_process().split(" ")
    assert process_has_ended(f"{place} {pid} {int(start) + 1}")


@pytest.mark.parametrize("name", ["", "worker", "worker 1 2", "a b c d", " 1 2", "x 1"])
def test_of_anybody_else_nobody_can_tell(name: str) -> None:
    assert not process_has_ended(name)


def test_in_another_container_or_on_another_machine_nobody_can_tell() -> None:
    place, _, _ = name_of_this_process().split(" ")
    assert not process_has_ended(f"{place}x 999999999 1")


def test_without_a_proc_nobody_can_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "_BOOT", tmp_path / "none")
    assert name_of_this_process().startswith(" ")
    assert not process_has_ended(name_of_this_process())
    assert not process_has_ended(" 999999999 1")
