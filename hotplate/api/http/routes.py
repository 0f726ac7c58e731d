"""Which endpoint an address belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from re import Pattern

from starlette.routing import compile_path

from hotplate.api.http.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Found:
    """The endpoints of an address by method, and the variables in it."""

    methods: Mapping[str, Endpoint]
    path: Mapping[str, str]


@cache
def _pattern(path: str) -> Pattern[str]:
    """Return what an address must match; made once, though a command has several tables."""
    return compile_path(path)[0]


class Routes:
    """A table of endpoints; of two that fit an address the earlier one counts."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        by_path: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            methods = by_path.setdefault(endpoint.path, {})
            if endpoint.method in methods:
                raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
            methods[endpoint.method] = endpoint
        self._table: list[tuple[Pattern[str], dict[str, Endpoint]]] = [
            (_pattern(path), methods) for path, methods in by_path.items()
        ]

    def find(self, path: str) -> Found | None:
        """Return the endpoints at an address, None if there are none."""
        for pattern, methods in self._table:
            match = pattern.match(path)
            if match is not None:
                return Found(methods, match.groupdict())
        return None
