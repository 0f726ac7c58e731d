"""The fingerprints that the versions of a large stack have if they are as is wanted."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any


class Fingerprints(Mapping[str, str]):
    """Fingerprints by the names of resources. Resources that are written alike have one together.

    Not all resources have one: of some it is not known before others are there. One is noted
    once and does not change, by several threads at once if need be.
    """

    __slots__ = ("_noted", "_words")

    def __init__(self, noted: Mapping[str, str] | None = None) -> None:
        self._noted: dict[str, str] = dict(noted or {})
        self._words: Mapping[str, str] = {}

    def __reduce__(self) -> Any:
        # Who has the resources knows which of them are alike: see `share`.
        return Fingerprints, (self._noted,)

    @property
    def noted(self) -> int:
        """How many have been noted: it grows when something is known that was not before."""
        return len(self._noted)

    @property
    def is_shared(self) -> bool:
        """Whether resources that are written alike have one together."""
        return bool(self._words)

    def note(self, name: str, fingerprint: str) -> None:
        """Note the fingerprint of a resource."""
        self._noted[name] = fingerprint

    def share(self, words: Mapping[str, str]) -> None:
        """Let each resource have the fingerprint of the one that it is written like."""
        self._words = words

    def changed_since(self, old: "Fingerprints") -> frozenset[str]:
        """Return the resources that had another fingerprint, or none. Costs as much as there are.

        Little if the same resources are written alike.
        """
        noted, before = self._noted, old._noted
        likes = noted.keys() & self._words.keys() if self._words else noted.keys()
        if all(noted[each] == before.get(each) for each in likes) and old._words:
            # Whoever is written like the same one as before has what that one had.
            was = old._words.get
            names = {name for name, like in self._words.items() if was(name) != like}
            names.update(noted.keys() - self._words.keys())
        else:
            names = set(self)
        return frozenset(each for each in names if each in self and old.get(each) != self[each])

    def names(self) -> AbstractSet[str]:
        """Return the resources that have one."""
        noted, words = self._noted.keys(), self._words
        if words and noted <= words.keys() and set(words.values()) <= noted:
            return words.keys()
        return set(self)

    def __getitem__(self, name: str) -> str:
        found = self._noted.get(name)
        return self._noted[self._words[name]] if found is None else found

    def __contains__(self, name: object) -> bool:
        return name in self._noted or self._words.get(name) in self._noted  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[str]:
        noted, words = self._noted, self._words
        yield from (name for name in noted if name not in words)
        yield from (name for name, like in words.items() if name in noted or like in noted)

    def __len__(self) -> int:
        return sum(1 for _ in self) if self._words else len(self._noted)

    def __bool__(self) -> bool:
        return bool(self._noted)
