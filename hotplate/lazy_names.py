"""What a package offers, each name loaded when it is first used.

A package says in its `__init__` what others may use of it. Where loading all of that would make
every command wait, the names are given to `loaded_on_use`, and to type checkers as imports.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_on_use(package: str, names: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package; ``names`` are those of each of its modules."""
    modules = {name: module for module, offered in names.items() for name in offered}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load
