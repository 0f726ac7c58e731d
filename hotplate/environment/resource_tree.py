"""The part of a registry that concerns single resources, by their place in the tree of stacks."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from hotplate.document import Data
from hotplate.environment import names
from hotplate.environment.traced import Traced, of_parts, overriding

_SETTINGS = (names.HOOKS, names.RESTRICTED_ACTIONS)


def applied(node: Traced) -> dict[str, Traced]:
    """Return the items of one level after nulls have removed what was given before them.

    A null removes the item of its name; a null whose name ends with ``*`` removes the entries,
    but not the maps, whose names begin so.
    """
    result: dict[str, Traced] = {}
    for key, part in node.expanded().items():
        name = str(key)
        if not part.is_null:
            result[name] = part
        elif name.endswith("*"):
            matching = [k for k, p in result.items() if k.startswith(name[:-1]) and not p.is_map]
            for other in matching:
                del result[other]
        else:
            result.pop(name, None)
    return result


def narrowed_tree(resources: Mapping[str, Traced], owner: str) -> Traced | None:
    """Return what holds below the resource ``owner``: all matching names, the exact one last.

    Only names of resources remain: types and settings of the owner itself end here.
    """
    matching = [n for n in resources if n != owner and fnmatchcase(owner, n)]
    if owner in resources:
        matching.append(owner)
    tree: Traced | None = None
    for name in matching:
        inner: dict[str | int, Traced] = {
            n: p for n, p in applied(resources[name]).items() if p.is_map
        }
        if inner:
            node = of_parts(inner, resources[name].given)
            tree = node if tree is None else _overlaid(tree, node)
    return tree


def _overlaid(old: Traced, new: Traced) -> Traced:
    """Merge two maps key by key; settings are joined, of other entries the new one counts."""
    parts = old.expanded()
    for key, item in new.expanded().items():
        was = parts.get(key)
        if was is None:
            parts[key] = item
        elif item.is_map and was.is_map:
            parts[key] = _overlaid(was, item)
        elif key in _SETTINGS and not item.is_null and not was.is_null:
            parts[key] = _joined(was, item)
        elif not item.is_null:
            parts[key] = overriding(item, was)
    return replace(of_parts(parts, new.given.before(old.given)), before=old.before)


def _joined(old: Traced, new: Traced) -> Traced:
    words: list[Data] = []
    for node in (old, new):
        value = node.data()
        words.extend(word for word in (value if isinstance(value, list) else [value]))
    return Traced(new.given.before(old.given), list(dict.fromkeys(map(str, words))))
