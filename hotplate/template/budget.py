"""How much a resolution may produce before it is stopped."""

from hotplate.bounded import TooHeavy, is_light
from hotplate.document import Data
from hotplate.template.errors import BadCall

DEFAULT_UNITS = 16_000_000

LIGHT_UNITS = 50_000
"""What is produced in a moment; where only light work may be done, more is too heavy."""

ITEM = 16
"""An item of a map or list costs as much time and memory as so many characters."""


class Budget:
    """Counts what functions produce: characters of text, and items of maps and lists.

    One budget serves one resolution. Counting instead of timing makes the verdict on a template
    the same on every machine.
    """

    __slots__ = ("_is_light", "_left", "_units")

    def __init__(self, units: int = DEFAULT_UNITS) -> None:
        self._is_light = is_light()
        self._units = self._left = min(units, LIGHT_UNITS) if self._is_light else units

    @property
    def used(self) -> int:
        """Units spent so far."""
        return self._units - self._left

    def spend(self, units: int) -> None:
        """Take units off, or raise BadCall when they are used up."""
        self._left -= units
        if self._left < 0:
            if self._is_light:
                raise TooHeavy
            raise BadCall(
                f"the result is too large: more than {self._units} characters and items",
                "split the template or shorten the lists it repeats over",
            )

    def spend_for(self, value: Data) -> None:
        """Take off the size of a value that is about to be copied into a result."""
        if isinstance(value, str):
            if len(value) > 64:  # small ones are paid for by whatever holds them
                self.spend(len(value))
            return
        if not isinstance(value, dict | list):
            return
        waiting: list[dict[str, Data] | list[Data]] = [value]
        while waiting:
            collection = waiting.pop()
            self.spend((len(collection) + 1) * ITEM)
            items = collection.values() if isinstance(collection, dict) else collection
            for item in items:
                if isinstance(item, str):
                    self.spend(len(item))
                elif isinstance(item, dict | list):
                    waiting.append(item)
