"""Which steps of a plan are shown together: members of a group to which the same happens."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hotplate.cli.answers.plan import Path, PlannedStep, Step

_FEWEST = 3
"""Equal members that are shown as one."""


@dataclass(frozen=True, slots=True)
class FoldedStep:
    """What is shown in one line: a step, and the names that lead to all that it stands for."""

    path: Path
    step: PlannedStep
    count: int = 1
    """How many steps it stands for."""

    @property
    def dotted(self) -> str:
        """The names that lead to it."""
        return ".".join(self.path)


@dataclass(slots=True)
class _Node:
    name: str
    steps: list[PlannedStep] = field(default_factory=list)
    """More than one if an old version of it goes as well."""

    children: dict[str, "_Node"] = field(default_factory=dict)


def folded_steps(steps: Iterable[PlannedStep], with_every: bool = False) -> list[FoldedStep]:
    """Return what happens, in the order of the steps but for numbers, which go upwards.

    Members of a group to which the same happens are shown once, unless every one is wanted.
    """
    top = _Node("")
    for step in steps:
        node = top
        for name in step.path:
            node = node.children.setdefault(name, _Node(name))
        node.steps.append(step)
    return list(_folded(top, (), 1, with_every))


def _folded(node: _Node, path: Path, count: int, with_every: bool) -> Iterator[FoldedStep]:
    for members in _families(node, with_every):
        first = members[0]
        here = (*path, first.name if len(members) == 1 else _names(members))
        times = count * len(members)
        for step in first.steps:
            if step.step is not Step.LEAVE:
                yield FoldedStep(here, step, times)
        yield from _folded(first, here, times, with_every)


def _families(node: _Node, with_every: bool) -> list[list[_Node]]:
    """Return the children, those together that are members of a group and alike."""
    children = _in_order(list(node.children.values()))
    if with_every:
        return [[child] for child in children]
    families: dict[Any, list[_Node]] = {}
    for child in children:
        is_member = child.name.isdecimal() or _is_group(node)
        families.setdefault(_alike(child) if is_member else (child.name,), []).append(child)
    return [
        part
        for family in families.values()
        for part in ([family] if len(family) >= _FEWEST else [[child] for child in family])
    ]


def _in_order(children: list[_Node]) -> list[_Node]:
    numbers = iter(sorted((c for c in children if c.name.isdecimal()), key=lambda c: int(c.name)))
    return [next(numbers) if child.name.isdecimal() else child for child in children]


def _is_group(node: _Node) -> bool:
    return any(step.type.endswith("Group") for step in node.steps)


def _alike(node: _Node) -> Any:
    """Return what is the same for two members that are shown as one."""
    own = tuple(
        (
            step.type,
            step.step,
            step.reason,
            step.is_certain,
            step.is_kept,
            tuple((c.name, repr(c.old), repr(c.new), c.sources) for c in step.changes),
        )
        for step in node.steps
    )
    below = tuple((child.name, _alike(child)) for child in _in_order(list(node.children.values())))
    return own, below


def _names(members: list[_Node]) -> str:
    """Return "0-19" or "0-3,7" for numbers, "12 members" for other names."""
    if not all(member.name.isdecimal() for member in members):
        return f"({len(members):,} members)"
    runs: list[list[int]] = []
    for number in sorted(int(member.name) for member in members):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def fair(folded: list[FoldedStep], most: int) -> tuple[list[FoldedStep], dict[str, int]]:
    """Return at most so many, of every branch some, and how many steps each branch has left out.

    A branch is what the topmost name leads to. Short branches are shown whole, the long ones share
    the rest.
    """
    if len(folded) <= most:
        return folded, {}
    branches: dict[str, list[FoldedStep]] = {}
    for each in folded:
        branches.setdefault(each.path[0], []).append(each)
    shown: dict[str, int] = {}
    space = most
    for rest, (name, branch) in enumerate(
        sorted(branches.items(), key=lambda item: len(item[1])), -len(branches)
    ):
        shown[name] = min(len(branch), max(space // -rest, 1))
        space -= shown[name]
    left = {
        name: sum(each.count for each in branch[shown[name] :])
        for name, branch in branches.items()
        if len(branch) > shown[name]
    }
    return [each for name, branch in branches.items() for each in branch[: shown[name]]], left
