"""Rows in columns."""

from collections.abc import Sequence

import click

from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import printable

_GAP = "  "


def show_table(
    output: Output, head: Sequence[str], rows: Sequence[Sequence[str]], empty: str
) -> None:
    """Print rows; on a terminal the widest column gives way until a line fits."""
    if not rows:
        output.note(empty)
        return
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [
        max(len(name), *(len(row[index]) for row in cells)) for index, name in enumerate(head)
    ]
    if output.width is not None:
        _narrow(widths, head, output.width)
    output.say(click.style(_line(head, widths), bold=True))
    for row in cells:
        line = _line(row, widths)
        color = "red" if any(cell.endswith("_FAILED") for cell in row) else None
        output.say(click.style(line, fg=color) if color else line)


def _narrow(widths: list[int], head: Sequence[str], most: int) -> None:
    while sum(widths) + len(_GAP) * (len(widths) - 1) > most:
        widest = max(range(len(widths)), key=lambda index: widths[index])
        if widths[widest] <= max(len(head[widest]), 8):
            return
        widths[widest] -= 1


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        f"{cell if len(cell) <= width else f'{cell[: width - 1]}…':<{width}}"
        for cell, width in zip(row, widths, strict=True)
    ]
    return _GAP.join(cells).rstrip()
