"""Which lines of a tree are worth showing when not all of them fit."""

from collections.abc import Iterable
from dataclasses import dataclass

from hotplate.cli.progress.event_places import Path
from hotplate.cli.progress.progress import Item, Progress, State, sums_text


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the tree: a resource, or what stands for those that are not shown."""

    depth: int
    item: Item | None
    rest: str = ""


def rows_of(progress: Progress, most: int, with_untouched: bool = False) -> list[Row]:
    """Return at most so many lines.

    If everything fits, everything is shown. If not, what failed comes first, then what runs, the
    longest first, each with the stacks it is in; every stack says in sum what is not shown.
    """
    sums = progress.top.sums
    hidden = 0 if with_untouched else sums[State.UNTOUCHED]
    if sums.total() - hidden + bool(hidden) <= most:
        return _all(progress.top, with_untouched)
    return _some(progress, most)


def _all(top: Item, with_untouched: bool) -> list[Row]:
    rows: list[Row] = []

    def add(stack: Item, depth: int) -> None:
        for item in _beside(stack.children.values()):
            touched = item.state is not State.UNTOUCHED or any(
                count for state, count in item.sums.items() if state is not State.UNTOUCHED
            )
            if touched or with_untouched:
                rows.append(Row(depth, item))
                add(item, depth + 1)

    add(top, 0)
    untouched = top.sums[State.UNTOUCHED]
    if untouched and not with_untouched:
        rows.append(Row(0, None, f"{untouched:,} unchanged"))
    return rows


def _some(progress: Progress, most: int) -> list[Row]:
    """Choose what matters until the lines are used up."""
    chosen: dict[Path, Item] = {}
    stacks: set[Path] = {()}
    lines = 1  # what the root does not show
    running = _longest_first(progress.running.values())
    urgent = [*progress.failed.values(), *progress.paused.values(), *running]
    # Stacks come with what is in them; alone they say less than their parts.
    leaves = [item for item in urgent if not item.children]
    for item in [*leaves, *urgent, *progress.top.children.values()]:
        new = [
            item.path[:depth]
            for depth in range(1, len(item.path) + 1)
            if item.path[:depth] not in chosen
        ]
        opened = [path[:-1] for path in new if path[:-1] not in stacks]
        if lines + len(new) + len(opened) > most:
            if lines + 1 > most:
                break
            continue
        for path in new:
            found = progress.item(path)
            if found is not None:
                chosen[path] = found
        stacks.update(opened)
        lines += len(new) + len(opened)
    return _drawn(progress.top, chosen, 0)


def _longest_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: item.since or 0.0)


def _drawn(stack: Item, chosen: dict[Path, Item], depth: int) -> list[Row]:
    rows: list[Row] = []
    shown = [item for item in stack.children.values() if item.path in chosen]
    # What failed is read first.
    for item in sorted(_beside(shown), key=lambda each: not _has_failed(each)):
        rows.append(Row(depth, item))
        if any(child.path in chosen for child in item.children.values()):
            rows.extend(_drawn(item, chosen, depth + 1))
    rest = stack.sums.copy()
    for item in shown:
        rest[item.state] -= 1
        rest.subtract(item.sums)
    if rest.total() > 0:
        rows.append(Row(depth, None, f"… {rest.total():,} more: {sums_text(rest)}"))
    return rows


def _beside(items: Iterable[Item]) -> list[Item]:
    """Return items in their order, but old versions right after what took their place."""
    every = list(items)
    places: dict[Path, int] = {}
    for number, item in enumerate(every):
        places.setdefault(item.names, number)
    return sorted(every, key=lambda item: (places[item.names], item.is_old))


def _has_failed(item: Item) -> bool:
    return item.state is State.FAILED or item.sums[State.FAILED] > 0
