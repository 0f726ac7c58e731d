"""All small worlds: each graph of at most three resources, and what may be asked next.

Graphs that differ by names only are the same. An edge is a value that comes from elsewhere: the
first one of a resource is its value, whose change replaces the object; others are plain
dependencies. What changes is A, which others need in all graphs with edges; what is added needs A,
and what is removed is needed by nobody.
"""

from collections.abc import Iterator, Mapping

from hotplate.testing import Plan, plan
from tests.simulation.small_worlds.play import World

GRAPHS: Mapping[str, Mapping[str, str]] = {
    "one": {"A": ""},
    "two apart": {"A": "", "B": ""},
    "two in a row": {"A": "", "B": "A"},
    "three apart": {"A": "", "B": "", "C": ""},
    "two in a row and one apart": {"A": "", "B": "A", "C": ""},
    "three in a row": {"A": "", "B": "A", "C": "B"},
    "one below two": {"A": "", "B": "A", "C": "A"},
    "two below one": {"A": "", "B": "", "C": "AB"},
    "triangle": {"A": "", "B": "A", "C": "BA"},
}
"""For each resource the ones it needs."""


def worlds(sizes: tuple[int, ...]) -> Iterator[World]:
    """Return the worlds whose first operation makes so many resources."""
    for name, graph in GRAPHS.items():
        if len(graph) not in sizes:
            continue
        first = _plan(graph)
        last = list(graph)[-1]
        yield World(f"{name}, no change", first, first)
        yield World(f"{name}, change in place", first, first.changed('A() = "y"'))
        other = first.changed('A() = ! "x"')
        yield World(f"{name}, replacement", other, first.changed('A() = ! "y"'))
        yield World(f"{name}, one less", first, first.without(last))
        if len(graph) < 3:
            new = "BC"[len(graph) - 1]
            yield World(f"{name}, one more", first, first.changed(f"{new}() = ! att A"))
        yield World(f"{name}, deletion", first, None)


def _plan(graph: Mapping[str, str]) -> Plan:
    return plan("\n".join(_line(name, needs) for name, needs in graph.items()))


def _line(name: str, needs: str) -> str:
    if not needs:
        return f'{name}() = "x"'
    return f"{name}({', '.join(needs[1:])}) = ! att {needs[0]}"
