"""The picture of ten thousand resources: it fits the screen, and is drawn in no time."""

import io
import time

import pytest
from rich.console import Console

from hotplate.cli.durations import Durations
from hotplate.cli.view.live import LiveView
from tests.unit.cli.test_progress import large


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
