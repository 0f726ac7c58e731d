"""Random environments for Hypothesis, which draws the size and a seed of each.

Drawing every value by strategies took ten times as long as merging and comparing what was drawn. A
failing example still gets fewer and smaller environments.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

_MOST_KEYS = 4
_NAMES = "abcd"
_TYPES = ("A::B", "A::C", "A::*", "X::Y", "A::B::C")
_ENTRIES = ("X::Y", "file:///a.yaml", "A::*", None)
_HOOKS: tuple[Any, ...] = ("pre-create", ["pre-update", "post-delete"], [], None)
_SCALARS = (None, True, False, -3, -1, 0, 1, 2, 3, "", "x", "y,z", 0.0, 1.0, 0.5, 5e-324)


class EnvironmentDraw:
    """Draws parts of environments; maps and lists have at most ``size`` items."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = Random(seed)

    def environment(self) -> dict[str, Any]:
        """Return an environment with values of any kind in all places that may have one."""
        return self._some(
            {
                "parameters": lambda: self.map_of(self.value),
                "parameter_defaults": lambda: self.map_of(self.value),
                **self._others,
            }
        )

    def environment_of_maps(self) -> dict[str, Any]:
        """Return an environment whose parameters are maps, and whose defaults have other names."""
        return self._some(
            {
                "parameters": lambda: self.map_of(lambda: self.map_of(self.value)),
                "parameter_defaults": lambda: self.map_of(self.value, "xyz"),
                **self._others,
            }
        )

    def value(self, depth: int = 3) -> Any:
        """Return a scalar, a list or a map; a map may be within a map, three times."""
        kind = self._random.random()
        if depth == 0 or kind < 0.4:
            return self._random.random() if kind < 0.05 else self._random.choice(_SCALARS)
        if kind < 0.6:
            return [self.value(depth - 1) for _ in range(self._count(3))]
        return self.map_of(lambda: self.value(depth - 1))

    def map_of(self, value: Callable[[], Any], names: Sequence[str] = _NAMES) -> dict[str, Any]:
        """Return a map whose values are drawn by a function."""
        count = self._count(min(_MOST_KEYS, len(names)))
        return {name: value() for name in self._random.sample(names, count)}

    @property
    def _others(self) -> dict[str, Callable[[], Any]]:
        return {
            "resource_registry": self._registry,
            "event_sinks": lambda: [
                {"type": "zaqar-queue", "target": self._random.choice("qr")}
                for _ in range(self._count(2))
            ],
            "encrypted_param_names": lambda: [
                self._random.choice(_NAMES) for _ in range(self._count(2))
            ],
        }

    def _registry(self) -> dict[str, Any]:
        entries = self.map_of(self._entry, _TYPES)
        resources = self.map_of(lambda: None if self._random.random() < 0.2 else self._resource())
        return {**entries, "resources": resources} if resources else entries

    def _resource(self, depth: int = 2) -> dict[str, Any]:
        if depth == 0 or self._random.random() < 0.5:
            return self.map_of(self._entry, _TYPES)
        return self._some(
            {
                "hooks": lambda: self._random.choice(_HOOKS),
                "a": lambda: self._resource(depth - 1),
                "b*": lambda: self._resource(depth - 1),
            }
        )

    def _entry(self) -> str | None:
        return self._random.choice(_ENTRIES)

    def _some(self, parts: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        names = [name for name in parts if self._random.random() < 0.6]
        self._random.shuffle(names)
        return {name: parts[name]() for name in names}

    def _count(self, most: int) -> int:
        return self._random.randint(0, min(most, self._size))


@st.composite
def _environments(
    draw: st.DrawFn, part: Callable[[EnvironmentDraw], dict[str, Any]]
) -> dict[str, Any]:
    size, seed = draw(st.integers(0, _MOST_KEYS)), draw(st.integers(0, 2**48))
    return part(EnvironmentDraw(size, seed))


ENVIRONMENTS = _environments(EnvironmentDraw.environment)
ENVIRONMENTS_OF_MAPS = _environments(EnvironmentDraw.environment_of_maps)
