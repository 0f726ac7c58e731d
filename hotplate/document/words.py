"""Which resources of a large template are written like which others."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from hotplate.document.names import Names, number_of
from hotplate.document.repeated import Run


class ListedWords(dict[str, str]):
    """For each resource the one that it is written like. It must not be changed."""

    __slots__ = ()

    @property
    def names(self) -> AbstractSet[str]:
        """All resources."""
        return self.keys()

    @property
    def likes(self) -> AbstractSet[str]:
        """Those that others are written like."""
        return frozenset(self.values())

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each resource with the one that it is written like."""
        return iter(self.items())

    def differing(self, old: "Words") -> AbstractSet[str]:
        """Return the resources that were not there or were written like another one."""
        was = old.get
        return {name for name, like in self.items() if was(name) != like}


class RunWords(Mapping[str, str]):
    """The same for runs, each of which is written like its first: a few words for all of them."""

    __slots__ = ("_by_text", "_ends", "_firsts", "_runs", "_starts", "names")

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs: dict[str, Names] = {next(run.names()): Names(run.spans) for run in runs}
        spans = [(span, like) for like, names in self._runs.items() for span in names.spans]
        numbers = sorted((*span, like) for span, like in spans if not isinstance(span, str))
        self._starts = [start for start, _, _ in numbers]
        self._ends = [end for _, end, _ in numbers]
        self._firsts = [like for _, _, like in numbers]
        self._by_text = {span: like for span, like in spans if isinstance(span, str)}
        self.names: AbstractSet[str] = Names(span for span, _ in spans)
        """All resources."""

    @property
    def likes(self) -> AbstractSet[str]:
        """Those that others are written like."""
        return self._runs.keys()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each resource with the one that it is written like."""
        return ((name, like) for like, names in self._runs.items() for name in names)

    def differing(self, old: "Words") -> AbstractSet[str]:
        """Return the resources that were not there or were written like another one."""
        if not isinstance(old, RunWords):
            return {name for name, like in self.pairs() if old.get(name) != like}
        found: AbstractSet[str] = Names(())
        for like, names in self._runs.items():
            found = found | (names - old._runs.get(like, Names(())))
        return found

    def __getitem__(self, name: str) -> str:
        number = number_of(name)
        if number is None:
            return self._by_text[name]
        at = bisect_right(self._starts, number) - 1
        if at < 0 or number >= self._ends[at]:
            raise KeyError(name)
        return self._firsts[at]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


Words: TypeAlias = ListedWords | RunWords


def words_of(given: Mapping[str, str]) -> Words:
    """Return words as they are, or those that a map lists."""
    return given if isinstance(given, ListedWords | RunWords) else ListedWords(given)
