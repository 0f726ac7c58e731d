"""The picture of ten thousand resources: it fits the screen, and is drawn in no time."""

import io
import time
from dataclasses import replace

import pytest
from rich.console import Console

from hotplate.cli.progress.durations import Durations
from hotplate.cli.progress.progress import Progress
from hotplate.cli.view.live import LiveView
from tests.unit.cli.progress.test_progress import (
    creation,
    event,
    large,
    made_before,
    resource,
    updating,
)


def drawn(columns: int, lines: int) -> list[str]:
    target = io.StringIO()
    console = Console(file=target, width=columns, height=lines)
    console.print(LiveView(Durations(), "Ctrl-C detaches", console).picture(large(), 60.0))
    return target.getvalue().splitlines()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 50), (40, 12)])
def test_it_fits(columns: int, lines: int) -> None:
    picture = drawn(columns, lines)
    assert len(picture) <= lines - 1
    text = "\n".join(picture)
    assert "app  creating" in text
    assert "r42" in text
    if columns >= 80:
        assert "10,100" in text
        assert "50 done, 150 running, 1 failed, 9,899 waiting" in text
        assert "slowest: s8.r0" in text


def test_it_is_drawn_in_no_time() -> None:
    progress = large()
    console = Console(file=io.StringIO(), width=120, height=50, force_terminal=True)
    view = LiveView(Durations(), "", console)
    view.picture(progress, 60.0)
    began = time.process_time()
    for _ in range(5):
        view.picture(progress, 60.0)
    # Five pictures are drawn each second: they must leave the machine to the work.
    assert (time.process_time() - began) / 5 < 0.15


def lines_of(progress: Progress, columns: int = 130) -> list[str]:
    target = io.StringIO()
    console = Console(file=target, width=columns, height=40)
    console.print(LiveView(Durations(), "", console).picture(progress, 60.0))
    return [" ".join(line.split()) for line in target.getvalue().splitlines()]


def test_each_line_says_what_is_done_and_what_it_waits_for() -> None:
    progress = updating(
        made_before("net", "one"), made_before("gone", "two"), made_before("vm", "three")
    )
    progress.plan([(("net",), "T", "REPLACE", ("vm",)), (("vm",), "T", "UPDATE", ())])
    progress.plan([(("gone",), "T", "DELETE", ())])
    assert "○ vm T waiting to update, after net" in lines_of(progress)
    progress.happened(event("root", "net", "CREATE_IN_PROGRESS", "app-net"), 58.0)
    assert "▶ net T replacing 2.0s" in lines_of(progress)
    progress.happened(event("root", "net", "CREATE_COMPLETE", "new"), 59.0)
    progress.happened(event("root", "net", "DELETE_IN_PROGRESS", "one"), 59.0)
    progress.happened(event("root", "gone", "DELETE_IN_PROGRESS", "two"), 59.0)
    seen = lines_of(progress)
    at = seen.index("✓ net T replaced 1.0s")
    assert seen[at + 1] == "▶ net (old) T deleting 1.0s"
    assert "▶ gone T deleting 1.0s" in seen
    assert "○ vm T waiting to update" in seen


def test_what_was_stopped_is_told_apart_from_what_failed() -> None:
    progress = creation(("a",), ("b",))
    aborted = replace(event("root", "a", "CREATE_FAILED"), reason="CREATE aborted (Timed out)")
    progress.happened(aborted, 1.0)
    progress.happened(event("root", "b", "CREATE_FAILED"), 1.0)
    seen = lines_of(progress)
    assert "■ a T create stopped" in seen
    assert any(line.startswith("✗ b T create failed") for line in seen)
    assert "1 failed, 1 stopped" in seen


def test_what_it_says_is_worth_more_room_than_its_type() -> None:
    progress = creation(("condition",))
    progress.happened(event("root", "condition", "CREATE_IN_PROGRESS", kind="Some::Type"), 59.0)
    reason = "1 of 2 signals to ready received, waits until 2026-11-16T16:57:37Z"
    told = resource("condition", "CREATE_IN_PROGRESS", resource_status_reason=reason)
    assert list(progress.notice({"id": "root", "resources": [told]}))
    (line,) = (line for line in lines_of(progress, 130) if "condition creating" in line)
    assert reason in line
    (line,) = (line for line in lines_of(progress, 200) if line.startswith("▶ condition"))
    assert "Some::Type" in line
    assert reason in line
