"""Types whose resources must wait for others that their templates do not name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hotplate.resources.resource_type import ResourceType
from hotplate.resources.written_stack import WrittenResource, WrittenStack

Rule = Callable[[WrittenResource, WrittenStack], Iterable[str]]
"""Returns the names of those resources of the stack that a resource must wait for. Pure."""


@dataclass(frozen=True, slots=True)
class SameValue:
    """The rule to wait for all resources of a type that have a value in common.

    ``mine`` and ``theirs`` are paths as in `hotplate.resources.written_stack`.
    """

    type_name: str
    mine: str
    theirs: str

    def __call__(self, own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
        """Return their names."""
        for other in stack.matching(self.type_name, self.theirs, own.values(self.mine)):
            yield other.name


class DependsImplicitly(ResourceType):
    """Depends on resources of its stack that it does not refer to, by what is written of both.

    A dependency that would close a cycle does not count. Deletion goes the other way round.
    """

    waits_for: ClassVar[Sequence[Rule]] = ()
    """Which resources it waits for: mostly a `SameValue` each."""

    def implicit_requirements(self, own: WrittenResource, stack: WrittenStack) -> Iterable[str]:
        """Return the names of the resources that one must wait for. Pure.

        What it returns may depend on nothing but the arguments: every process must come to the
        same graph.
        """
        for rule in self.waits_for:
            yield from rule(own, stack)
