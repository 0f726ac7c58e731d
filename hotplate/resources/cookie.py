"""What a type keeps from one call to the next while an action goes on."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Cookie:
    """Base of a type's own cookies: dataclasses whose fields are JSON.

    A field whose default is None is left out of what is stored as long as it is None. So fields
    can be added later: an action that was waiting during an upgrade goes on.
    """

    def as_data(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) is not None or each.default is not None
        }

    @classmethod
    def from_data(cls, stored: Any) -> Self | None:
        """Return what `as_data` was made of; None if the fields without a default are missing."""
        if not isinstance(stored, Mapping):
            return None
        declared = fields(cls)
        if any(each.default is MISSING and each.name not in stored for each in declared):
            return None
        return cls(**{each.name: stored[each.name] for each in declared if each.name in stored})
