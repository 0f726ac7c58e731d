"""What two recipes of a large stack have in common, so that versions need not be compared."""

from collections.abc import Set as AbstractSet

from hotplate.model.fingerprints import Fingerprints


class Unchanged:
    """Compares the fingerprints that a recipe wants with those that an earlier one wanted.

    A version in order that was confirmed for the earlier one has the fingerprint which that wanted.
    They are compared when that is first asked for, which costs as much as there are.
    """

    __slots__ = ("_changed", "_noted", "_old", "since")

    def __init__(self, since: str, old: Fingerprints, new: Fingerprints) -> None:
        self.since = since
        """The digest of the earlier recipe."""

        self._old: Fingerprints | None = old
        self._noted = new.noted
        self._changed: frozenset[str] = frozenset()

    def among(self, names: AbstractSet[str], wanted: Fingerprints) -> frozenset[str]:
        """Return those of some resources that are wanted as they were.

        ``wanted`` are the recipe's fingerprints. Others may have been found since: then nothing is
        known.
        """
        if wanted.noted != self._noted:
            return frozenset()
        old = self._old
        if old is not None:
            self._changed = wanted.changed_since(old)
            self._old = None  # it may be large
        return frozenset(names).intersection(wanted.names()).difference(self._changed)
