"""Run the benchmarks and print their figures: python -m tests.benchmarks [name ...].

A benchmark is a module of this folder with a function `figures` that yields Figure after Figure.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

from tests.benchmarks.figure import Figure

_HEADER = f"{'':44} {'things':>10} {'CPU s':>9} {'µs each':>9}  ratio"


def benchmarks() -> dict[str, Callable[[], Iterable[Figure]]]:
    """Every benchmark by the name of its module."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    modules = {name: import_module(f"tests.benchmarks.{name}") for name in names}
    return {name: each.figures for name, each in modules.items() if hasattr(each, "figures")}


def rows(figures: Iterable[Figure]) -> Iterator[str]:
    """One line per figure; the ratio compares the cost of each thing with the baseline's."""
    seen: dict[str, Figure] = {}
    for figure in figures:
        seen[figure.name] = figure
        row = (
            f"{figure.name:44} {figure.things:>10,} {figure.seconds:>9.4f}"
            f" {figure.microseconds_each:>9.2f}"
        )
        if figure.baseline:
            ratio = figure.microseconds_each / seen[figure.baseline].microseconds_each
            told = f"{ratio:.2f}" if ratio >= 0.1 or not ratio else f"1/{1 / ratio:,.0f}"
            row += f"  {told} of {figure.baseline}"
        yield f"{row}  {figure.note}" if figure.note else row


def main(wanted: list[str]) -> int:
    available = benchmarks()
    if unknown := [name for name in wanted if name not in available]:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(available)}")
        return 2
    for name in wanted or available:
        print(f"\n{name}\n{_HEADER}")
        for row in rows(available[name]()):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
