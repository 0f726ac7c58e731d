"""Resources of a large template that repeat the words of another: built when they are asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from hotplate.document.repeated import Run
from hotplate.document.words import RunWords, words_of
from hotplate.template.definition import ResourceDefinition


class AlikeResources(Mapping[str, ResourceDefinition]):
    """Resources in their order. Immutable, and safe for several threads.

    ``words`` names for each resource the one that it is written like: an earlier one, or itself.
    ``own`` are those that are written in words of their own.
    """

    __slots__ = ("_runs", "own", "words")

    def __init__(
        self,
        words: Mapping[str, str],
        own: Mapping[str, ResourceDefinition],
        runs: Sequence[Run] = (),
    ) -> None:
        self.words = words_of(words)
        self.own = own
        self._runs = runs

    @classmethod
    def of_runs(
        cls, runs: Sequence[Run], own: Mapping[str, ResourceDefinition]
    ) -> "AlikeResources":
        """Return resources of which each is written like the first of its run."""
        return cls(RunWords(runs), own, runs)

    def __reduce__(self) -> Any:
        if self._runs:
            # Their names are few words, and what they say is in those that say it first.
            return AlikeResources.of_runs, (
                [replace(run, value=None) for run in self._runs],
                self.own,
            )
        return AlikeResources, (dict(self.words), self.own)

    def packed(self, pack: Callable[[Mapping[str, ResourceDefinition]], Any]) -> "AlikeResources":
        """Return them with those packed that are written in words of their own."""
        return AlikeResources(self.words, pack(self.own), self._runs)

    def without(self, names: Iterable[str]) -> "AlikeResources":
        """Return them without some that no other is written like."""
        gone = frozenset(names)
        words = {name: like for name, like in self.words.pairs() if name not in gone}
        return AlikeResources(words, self.own)

    def __getitem__(self, name: str) -> ResourceDefinition:
        like = self.words[name]
        definition = self.own[like]
        return definition if like == name else definition.alike(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, name: object) -> bool:
        return name in self.words

    def __len__(self) -> int:
        return len(self.words)


def names_of(resources: Mapping[str, ResourceDefinition]) -> AbstractSet[str]:
    """Return the names of resources, in their order."""
    return resources.words.names if isinstance(resources, AlikeResources) else resources.keys()


def type_of(resources: Mapping[str, ResourceDefinition], name: str) -> str:
    """Return the type of a resource. Builds nothing."""
    if isinstance(resources, AlikeResources):
        return resources.own[resources.words[name]].type
    return resources[name].type


def repeats_another(resources: Mapping[str, ResourceDefinition], name: str) -> bool:
    """Tell whether a resource only says what another says. Builds nothing.

    It depends on no other by name, then, and is no external object.
    """
    return isinstance(resources, AlikeResources) and resources.words.get(name, name) != name


def with_words(
    resources: Mapping[str, ResourceDefinition],
) -> Iterator[tuple[str, ResourceDefinition]]:
    """Yield each resource with the first one that says what it says, which may be itself."""
    if isinstance(resources, AlikeResources):
        own = resources.own
        yield from ((name, own[like]) for name, like in resources.words.pairs())
        return
    for name, definition in resources.items():
        yield name, resources[definition.like] if definition.like else definition


def in_own_words(resources: Mapping[str, ResourceDefinition]) -> Iterator[ResourceDefinition]:
    """Yield the resources that do not only say what an earlier one says."""
    if isinstance(resources, AlikeResources):
        words = resources.words
        yield from (each for each in resources.own.values() if each.name in words)
        return
    yield from (each for each in resources.values() if not each.like)
