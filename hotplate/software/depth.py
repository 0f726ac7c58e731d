"""How deep a value may go: what is read and written again by everybody must stay shallow."""

from typing import Any

from hotplate.software.signature import Unfit

DEEPEST = 100
"""Lists and maps inside each other. Writers of JSON give up somewhere above two hundred."""


def check_depth(path: str, value: Any) -> None:
    """Refuse a value that goes too deep. Raises Unfit."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return
    if any(_parts(each) for each in level):
        raise Unfit(path, f"must not have more than {DEEPEST} lists and maps inside each other")


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
