"""Where a type is declared otherwise than in Heat, on purpose: what differs, and why."""

from collections.abc import Mapping
from typing import Final

DECIDED: Final[Mapping[str, Mapping[str, str]]] = {}
