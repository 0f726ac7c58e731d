"""How often signed addresses are used: whoever has one need not be who was given it."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

_MINUTE: Final = 60.0
_MOST: Final = 20_000
"""Addresses that are counted at a time; of more, those that were used least lately are not."""


@dataclass(slots=True)
class _Minute:
    began: float
    uses: int = 0


class AddressUses:
    """Counts the uses of addresses within a minute. For one event loop; each process counts alone.

    For addresses that live as long as their resource. Those of wait conditions and deployments
    have bounds of their own, and all servers of a stack may use one at the same moment.
    """

    def __init__(self) -> None:
        self._minutes: OrderedDict[str, _Minute] = OrderedDict()

    def wait_for(self, address: str, most: int, now: float) -> int:
        """Count one more use; return for how many seconds it is too early, 0 if it is not.

        With ``most`` of 0 nothing is counted.
        """
        if not most:
            return 0
        found = self._minutes.get(address)
        # A clock that was put back begins a new minute, too.
        if found is None or not 0 <= now - found.began < _MINUTE:
            found = self._minutes[address] = _Minute(now)
            while len(self._minutes) > _MOST:
                self._minutes.popitem(last=False)
        self._minutes.move_to_end(address)
        if found.uses >= most:
            return int(found.began + _MINUTE - now) + 1
        found.uses += 1
        return 0
