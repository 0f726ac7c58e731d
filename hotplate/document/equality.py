"""When two values are the same."""

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of one kind, in all their parts.

    For Python 1, 1.0 and true are equal; whoever gets a value can distinguish them.
    """
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return type(one) is type(other) and one == other
    return bool(one == other)
