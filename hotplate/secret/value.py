"""The type of a secret: a text or a number that prints as stars."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

STARS: Final = "******"
"""What is shown in place of a secret."""

Step = str | int
"""A key of a map, or the number of an item in a list."""


class SecretText(str):
    """A text that nobody may see.

    ``repr`` and ``format`` give stars, so it enters no dataclass, log line or error text by
    mistake. ``str``, JSON and all methods of texts give the content.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return STARS

    def __format__(self, form: str) -> str:
        return STARS


class SecretInt(int):
    """A whole number that nobody may see; like `SecretText`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return STARS

    def __format__(self, form: str) -> str:
        return STARS

    def __str__(self) -> str:
        return int.__repr__(self)


class SecretFloat(float):
    """A fraction that nobody may see; like `SecretText`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return STARS

    def __format__(self, form: str) -> str:
        return STARS

    def __str__(self) -> str:
        return float.__repr__(self)


_SECRET: Final = (SecretText, SecretInt, SecretFloat)


_INSIDE: Final = (dict, list, *_SECRET)


def is_secret(value: Any) -> bool:
    """Tell whether a value is itself a secret; a map or a list never is."""
    return isinstance(value, _SECRET)


def secret(value: Any) -> Any:
    """Return a value of which every leaf is secret: texts and numbers.

    Null, true, false and an empty text tell nothing and stay what they are, and so do the keys of
    maps. What is secret already is returned as it is.
    """
    if isinstance(value, dict):
        return {key: secret(item) for key, item in value.items()}
    if isinstance(value, list):
        return [secret(item) for item in value]
    return _secret_leaf(value)


def _secret_leaf(value: Any) -> Any:
    if isinstance(value, str):
        return SecretText(value) if value and not isinstance(value, SecretText) else value
    if isinstance(value, bool | SecretInt | SecretFloat):
        return value
    if isinstance(value, int):
        return SecretInt(value)
    return SecretFloat(value) if isinstance(value, float) else value


def holds_secret(value: Any) -> bool:
    """Tell whether a value is a secret or has one inside, as a leaf or as a key."""
    # Asked of all that resources are given: most values are plain texts, and maps of few of them.
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is SecretText or (type(item) is not str and holds_secret(item)):
                return True
        return False
    if isinstance(value, list):
        return any(map(holds_secret, value))
    return isinstance(value, _SECRET)


def plain(value: Any) -> Any:
    """Return a value as those get it who work with it: nothing in it is typed as a secret.

    What holds no secret is returned itself.
    """
    if type(value) is str or not holds_secret(value):
        return value
    return _plain_copy(value)


def _plain_copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {_plain_leaf(key): _plain_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_copy(item) for item in value]
    return _plain_leaf(value)


def _plain_leaf(value: Any) -> Any:
    if isinstance(value, SecretText):
        return str(value)
    return +value if isinstance(value, SecretInt | SecretFloat) else value


def secret_paths(value: Any) -> list[list[Any]]:
    """Return where in a value the secrets are, as JSON can carry it.

    A path leads to a leaf; one that ends with null means the key before it. Stored beside the
    value, they let `secret_at` type it again.
    """
    return list(_paths(value, ())) if isinstance(value, dict | list) else []


def _paths(value: Any, path: tuple[Step, ...]) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, SecretText):
                yield [*path, str(key), None]
            if isinstance(item, _INSIDE):
                yield from _paths(item, (*path, str(key)))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, _INSIDE):
                yield from _paths(item, (*path, number))
    elif isinstance(value, _SECRET):
        yield list(path)


def secret_at(value: Any, paths: Iterable[Sequence[Any]]) -> Any:
    """Return a value with the leaves at these paths typed as secrets. The value is not changed.

    A path that leads to a map or a list makes all in it secret; one that leads nowhere is ignored.
    """
    inside: dict[Any, list[Sequence[Any]]] = {}
    for path in paths:
        if not path:
            return secret(value)
        inside.setdefault(path[0], []).append(path[1:])
    if isinstance(value, dict):
        return dict(_entry(key, item, inside.get(key, ())) for key, item in value.items())
    if isinstance(value, list):
        return [
            secret_at(item, inside[number]) if number in inside else item
            for number, item in enumerate(value)
        ]
    return value


def _entry(key: str, item: Any, paths: Sequence[Sequence[Any]]) -> tuple[str, Any]:
    if not paths:
        return key, item
    leaves = [path for path in paths if list(path) != [None]]
    shown = SecretText(key) if len(leaves) < len(paths) else key
    return shown, secret_at(item, leaves) if leaves else item
