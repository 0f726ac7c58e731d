"""What the rest of a template offers to a call that is being checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hotplate.document import Data, Path


def _ignore(message: str, hint: str, steps: Path) -> None:
    """Drop a warning."""


@dataclass(frozen=True, slots=True)
class Site:
    """Names a call may refer to. The maps serve as ordered sets: only their keys count.

    ``warn`` takes what is odd about the call being checked: message, hint, steps into it.
    """

    parameters: Mapping[str, object] = field(default_factory=dict)
    resources: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    mappings: Mapping[str, Data] = field(default_factory=dict)
    warn: Callable[[str, str, Path], None] = _ignore
