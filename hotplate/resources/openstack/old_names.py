"""Properties that templates may still give under an older name."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.property import BadProperty


def moved(given: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return properties in today's spelling: ``renamed`` maps older paths to today's names.

    A path leads into maps and lists: ``fixed_ips[].subnet_id``. Raises BadProperty if a property
    is given under both names.
    """
    found = dict(given)
    for path, new in renamed.items():
        outer, inside, old = path.rpartition("[].")
        if inside:
            items = found.get(outer)
            if isinstance(items, list):
                found[outer] = [
                    _moved(each, old, new) if isinstance(each, Mapping) else each for each in items
                ]
        else:
            found = _moved(found, old, new)
    return found


def _moved(values: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    found = dict(values)
    value = found.pop(old, None)
    if value is None:
        return found
    if found.get(new) is not None:
        raise BadProperty(
            f"Cannot define the following properties at the same time: {new}, {old}", (old,)
        )
    return {**found, new: value}
