"""How far people may rely on a resource type."""

from dataclasses import dataclass
from enum import Enum


class SupportStatus(Enum):
    """Named as Heat names them."""

    UNKNOWN = "UNKNOWN"
    SUPPORTED = "SUPPORTED"
    DEPRECATED = "DEPRECATED"
    UNSUPPORTED = "UNSUPPORTED"
    HIDDEN = "HIDDEN"
    """Old stacks may have it; it is not listed and not shown."""


@dataclass(frozen=True, slots=True)
class Support:
    """The status, since which version it holds, what to do about it, and what was before."""

    status: SupportStatus = SupportStatus.SUPPORTED
    version: str | None = None
    message: str | None = None
    previous: "Support | None" = None
