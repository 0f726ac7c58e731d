"""What two recipes of a large stack have in common, so that versions need not be compared."""

from collections.abc import Set as AbstractSet

from hotplate.model.fingerprints import Fingerprints


class Unchanged:
    """Compares the fingerprints that a recipe wants with those that an earlier one wanted.

    A version in order that was confirmed for the earlier one has the fingerprint which that wanted.
    They are compared when that is first asked for, which costs as much as there are.
    """

    __slots__ = ("_changed", "_names", "_noted", "_old", "since")

    def __init__(
        self, since: str, old: Fingerprints, new: Fingerprints, names: AbstractSet[str]
    ) -> None:
        self.since = since
        """The digest of the earlier recipe."""

        self._old: Fingerprints | None = old
        self._names: AbstractSet[str] = names
        """All resources of the earlier recipe; once they have been compared, those that are not
        among the later one's fingerprints."""

        self._noted = new.noted
        self._changed: frozenset[str] = frozenset()

    def among(self, names: AbstractSet[str], wanted: Fingerprints) -> AbstractSet[str]:
        """Return those of some resources that are wanted as they were.

        ``wanted`` are the recipe's fingerprints. Others may have been found since: then nothing is
        known.
        """
        if wanted.noted != self._noted:
            return frozenset()
        old = self._old
        if old is not None:
            self._changed = wanted.changed_since(old)
            self._names = self._names - wanted.names()
            self._old = None  # it may be large
        return (names & wanted.names()) - self._changed

    def beside(self, unchanged_names: AbstractSet[str], wanted: Fingerprints) -> AbstractSet[str]:
        """Return all resources of the two recipes but those that `among` has unchanged_names of."""
        return self._names | (wanted.names() - unchanged_names)
