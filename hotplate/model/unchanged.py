"""What two recipes of a large stack have in common, so that versions need not be compared."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Compares the fingerprints that a recipe wants with those that an earlier one wanted.

    A version in order that was confirmed for the earlier one has the fingerprint which that wanted.
    """

    since: str
    """The digest of the earlier recipe."""

    _known: int
    _changed: frozenset[str]

    @classmethod
    def between(cls, since: str, old: Mapping[str, str], new: Mapping[str, str]) -> "Unchanged":
        """Compare all fingerprints. Costs as much as there are."""
        changed = frozenset(name for name, each in new.items() if old.get(name) != each)
        return cls(since, len(new), changed)

    def holds_for(self, name: str, wanted: Mapping[str, str]) -> bool:
        """Tell whether a resource is wanted as it was; ``wanted`` are the recipe's fingerprints.

        Others may have been found since: of these nothing is known.
        """
        return len(wanted) == self._known and name in wanted and name not in self._changed
