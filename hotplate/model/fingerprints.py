"""The fingerprints that the versions of a large stack have if they are as is wanted."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Protocol


class Words(Protocol):
    """For each resource the one that it is written like."""

    @property
    def names(self) -> AbstractSet[str]:
        """All resources."""

    @property
    def likes(self) -> AbstractSet[str]:
        """Those that others are written like."""

    def __getitem__(self, name: str) -> str: ...

    def __contains__(self, name: object) -> bool: ...

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each resource with the one that it is written like."""

    def differing(self, old: Any) -> AbstractSet[str]:
        """Return the resources that were not there or were written like another one."""


class Fingerprints(Mapping[str, str]):
    """Fingerprints by the names of resources. Resources that are written alike have one together.

    Not all resources have one: of some it is not known before others are there. One is noted
    once and does not change, by several threads at once if need be.
    """

    __slots__ = ("_noted", "_words")

    def __init__(self, noted: Mapping[str, str] | None = None) -> None:
        self._noted: dict[str, str] = dict(noted or {})
        self._words: Words | None = None

    def __reduce__(self) -> Any:
        # Who has the resources knows which of them are alike: see `share`.
        return Fingerprints, (self._noted,)

    @property
    def noted(self) -> int:
        """How many have been noted: it grows when something is known that was not before."""
        return len(self._noted)

    @property
    def own(self) -> AbstractSet[str]:
        """The resources of which it has been noted; others may share theirs."""
        return self._noted.keys()

    @property
    def is_shared(self) -> bool:
        """Whether resources that are written alike have one together."""
        return self._words is not None

    def note(self, name: str, fingerprint: str) -> None:
        """Note the fingerprint of a resource."""
        self._noted[name] = fingerprint

    def share(self, words: Words) -> None:
        """Let each resource have the fingerprint of the one that it is written like."""
        self._words = words

    def changed_since(self, old: "Fingerprints") -> frozenset[str]:
        """Return the resources that had another fingerprint, or none. Costs as much as there are.

        Little if the same resources are written alike.
        """
        noted, before, words = self._noted, old._noted, self._words
        likes = [each for each in noted if words is None or each in words]
        names: AbstractSet[str]
        if words is not None and old._words and all(noted[x] == before.get(x) for x in likes):
            # Whoever is written like the same one as before has what that one had.
            names = {*words.differing(old._words), *(each for each in noted if each not in words)}
        else:
            names = set(self)
        return frozenset(each for each in names if each in self and old.get(each) != self[each])

    def names(self) -> AbstractSet[str]:
        """Return the resources that have one."""
        noted, words = self._noted.keys(), self._words
        if words is None:
            return noted
        is_all = words.likes <= noted and all(each in words for each in noted)
        return words.names if is_all else set(self)

    def __getitem__(self, name: str) -> str:
        found = self._noted.get(name)
        if found is None and self._words is not None:
            return self._noted[self._words[name]]
        return self._noted[name] if found is None else found

    def __contains__(self, name: object) -> bool:
        if name in self._noted:
            return True
        words = self._words
        return words is not None and name in words and words[str(name)] in self._noted

    def __iter__(self) -> Iterator[str]:
        noted, words = self._noted, self._words
        if words is None:
            yield from noted
            return
        yield from (name for name in noted if name not in words)
        yield from (name for name, like in words.pairs() if name in noted or like in noted)

    def __len__(self) -> int:
        return len(self._noted) if self._words is None else sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._noted)
