"""Work while it goes on, drawn on a terminal."""

import os
import time
from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from hotplate.cli.progress.durations import Durations
from hotplate.cli.progress.progress import Item, Progress, State, sums_text
from hotplate.cli.view.failures import own_words
from hotplate.cli.view.rows import Row, rows_of
from hotplate.cli.view.short_forms import (
    STYLES,
    can_draw,
    printable,
    short_type,
    shown_seconds,
    signs,
)
from hotplate.cli.view.verbs import doing, verb_of
from hotplate.client import Happening

_AROUND = 6
"""Lines above and below the tree, and one for the prompt."""

_WIDEST = 44
"""Columns for a name or a type: the eye loses a row that is further apart."""


_NO_REASON = "state changed"
_MOST_AWAITED = 3


class LiveView:
    """A tree that is drawn anew while things happen."""

    def __init__(
        self, durations: Durations, hint: str = "", console: Console | None = None
    ) -> None:
        self._console = console or Console(
            no_color=bool(os.environ.get("NO_COLOR")), highlight=False, markup=False
        )
        self._durations = durations
        self._hint = hint
        self._progress: Progress | None = None
        self._live: Live | None = None
        self._signs = signs()
        self._can_draw = can_draw()
        self._has_ended = False

    def begin(self, progress: Progress) -> None:
        """Take the screen."""
        self._progress = progress
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            vertical_overflow="crop",
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def event(self, event: Happening, item: Item | None) -> None:
        """Wait for the next picture."""

    def reason(self, item: Item) -> None:
        """Wait for the next picture."""

    def tick(self, now: float) -> None:
        """Draw."""
        if self._live is not None and self._progress is not None:
            self._live.update(self.picture(self._progress, now), refresh=True)

    def end(self) -> None:
        """Leave the last picture on the screen."""
        self._has_ended = True
        self.tick(time.monotonic())
        if self._live is not None:
            self._live.stop()

    def picture(self, progress: Progress, now: float) -> Group:
        """Return all lines."""
        width, height = self._console.width, self._console.height
        lines = [self._head(progress, now, width)]
        lines.extend(
            self._line(progress, row, width, now)
            for row in rows_of(progress, max(height - _AROUND, 4))
        )
        sums = sums_text(progress.top.sums)
        if sums:
            lines.append(Text(f"  {sums}", "bold"))
        if not self._has_ended:
            lines.append(Text(f"  {self._urgent(progress, now)}", "cyan"))
            lines.append(Text(f"  {self._hint}", "dim"))
        for line in lines:
            line.truncate(width, overflow="ellipsis")
            line.no_wrap = True
        return Group(*lines)

    def _head(self, progress: Progress, now: float, width: int) -> Text:
        total, finished = progress.total, progress.finished
        share = finished / total if total else 0.0
        verb = verb_of(progress.action).doing
        text = Text.assemble((printable(progress.name), "bold"), f"  {verb}  ")
        state_text = f"  {finished:,}/{total:,}  {share:.0%}  {shown_seconds(now - progress.began)}"
        left = None if self._has_ended else self._durations.remaining(progress, now)
        if left is not None and not progress.paused:
            state_text += f", about {shown_seconds(left)} left"
        space = min(40, width - text.cell_len - len(state_text) - 1)
        if space >= 8:
            text.append_text(self._bar(progress, total, space))
        text.append(state_text)
        return text

    def _bar(self, progress: Progress, total: int, space: int) -> Text:
        full, going, empty = "━╌─" if self._can_draw else "#=-"
        text = Text()
        used = 0
        for state, style in ((State.DONE, "green"), (State.FAILED, "red"), (State.RUNNING, "cyan")):
            cells = round(progress.top.sums[state] / total * space) if total else 0
            cells = min(cells, space - used)
            text.append((going if state is State.RUNNING else full) * cells, style)
            used += cells
        text.append(empty * (space - used), "dim")
        return text

    def _line(self, progress: Progress, row: Row, width: int, now: float) -> Text:
        indent = "  " * (row.depth + 1)
        item = row.item
        if item is None:
            return Text(f"{indent}{row.rest}", "dim")
        text = Text(indent)
        text.append(f"{self._signs[item.state]} ", STYLES[item.state])
        text.append(printable(item.name), "bold" if item.children else "")
        state_text = self._state_text(progress, item, now)
        type_name = short_type(printable(item.type))
        column = min(max(24, width // 3), _WIDEST)
        # Where there is no room for both, what it says is worth more than its type.
        fits = 2 * column + len(state_text) <= width or not _says_something(item)
        if type_name and not item.children and fits:
            text.append(" " * max(column - text.cell_len, 1))
            text.append(type_name, "dim")
            column += min(max(26, width // 3), _WIDEST)
        text.append(" " * max(column - text.cell_len, 2))
        text.append(state_text, STYLES[item.state] if item.state is not State.DONE else "")
        return text

    def _state_text(self, progress: Progress, item: Item, now: float) -> str:
        words = doing(item, self._has_ended)
        if item.hook:
            words += f" at its hook {item.hook}"
        elif not self._has_ended and (awaited := progress.awaited(item)):
            words += f", after {_listed(awaited)}"
        if item.children:
            words = f"{words}: {sums_text(item.sums)}"
        if item.is_kept and item.state is State.DONE:
            words = "kept"
        elif item.is_needless and not item.children:
            words = "not needed"
        if item.state is State.RUNNING and item.since is not None:
            words += f"  {shown_seconds(now - item.since)}"
        elif item.took is not None:
            words += f"  {shown_seconds(item.took)}"
        if _says_something(item):
            words += f"  {printable(' '.join(own_words(item.reason).split()))}"
        return words

    def _urgent(self, progress: Progress, now: float) -> str:
        """Return what is worth knowing: what waits for people, or what takes longest."""
        if progress.paused:
            verb = "waits at a hook" if len(progress.paused) == 1 else "wait at hooks"
            way = f"`hotplate hook clear {printable(progress.name)} RESOURCE`"
            return f"{len(progress.paused):,} {verb}; {way} lets go on"
        slowest = self._slowest(progress, now)
        return f"slowest: {slowest}" if slowest else ""

    def _slowest(self, progress: Progress, now: float) -> str:
        leaves = [item for item in progress.running.values() if not item.children]
        if not leaves:
            return ""
        item = min(leaves, key=lambda each: each.since or now)
        words = f"{printable(item.dotted)}  {short_type(printable(item.type))}"
        words += f"  {shown_seconds(now - (item.since or now))}"
        usual = self._durations.usual(item.type, item.status.partition("_")[0])
        return words + (f", usually {shown_seconds(usual)}" if usual is not None else "")


def _says_something(item: Item) -> bool:
    if item.children:
        return False
    is_at_work = item.state is State.RUNNING and item.reason not in ("", _NO_REASON)
    return is_at_work or item.state is State.FAILED


def _listed(items: Sequence[Item]) -> str:
    names = [printable(item.name) for item in items[:_MOST_AWAITED]]
    more = len(items) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")
