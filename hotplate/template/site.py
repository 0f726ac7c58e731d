"""What the rest of a template offers to a call that is being checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotplate.document import Data


@dataclass(frozen=True, slots=True)
class Site:
    """Names a call may refer to. The maps serve as ordered sets: only their keys count."""

    parameters: Mapping[str, object] = field(default_factory=dict)
    resources: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    mappings: Mapping[str, Data] = field(default_factory=dict)
