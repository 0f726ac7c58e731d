"""How recipes are stored: each text once for a project, under its digest."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.document.repeated import plain_digest
from hotplate.environment.recipe import Recipe
from hotplate.store.recipes import (
    digest_of,
    keep_contents,
    keep_inclusions,
    keep_recipes,
    read_contents,
    read_recipe,
    recipe_text,
)

_SHORT: Final = 65_536
"""Characters of a text that may be kept in memory only to know its digest."""

_LONGEST: Final = 8 * 1024 * 1024
"""Characters of longer texts whose digests are known, together."""

_AT_ONCE: Final = 524_288
"""Characters of texts that are stored in one transaction, unless a single one has more."""

_MORE = (
    "kept", "asked", "facade", "environment_names", "dropped", "template_name", "adopted",
    "is_repeated",
)  # fmt: skip
"""What few recipes have: stored where there is something."""


def keep(connection: Connection, project: str, recipe: Recipe) -> str:
    """Store a recipe and everything in it for a project; return its digest."""
    return keep_all(connection, project, [recipe])[0]


def keep_all(connection: Connection, project: str, recipes: Sequence[Recipe]) -> list[str]:
    """Store recipes of a project and everything in them; return their digests in that order."""
    digests: dict[str, str] = {}
    file_sets: dict[int, Mapping[str, str]] = {}
    for recipe in recipes:
        digests |= {text: _digest(text) for text in (recipe.template, recipe.environment)}
        # Equal recipes share their files; those of a thousand members are looked through once.
        file_sets[id(recipe.files)] = recipe.files
    listed = {_files_text(files): files for files in file_sets.values()}
    for text, files in listed.items():
        digests |= {each: _digest(each) for each in (text, *files.values())}
    stored = keep_contents(connection, project, digests, digests)
    for text, files in listed.items():
        if (holder := digests[text]) in stored:
            keep_inclusions(connection, project, holder, (digests[each] for each in files.values()))
    return keep_recipes(connection, project, [_body(recipe, digests) for recipe in recipes])


def digest_of_recipe(recipe: Recipe) -> str:
    """Return the digest under which a recipe is or would be stored."""
    return digest_of(recipe_text(_body(recipe)))


def digest_of_contents(recipe: Recipe) -> str:
    """Return a digest of what a nested stack is made of, whatever of that is secret.

    It is the same however the text of the template is written.
    """
    digests = {recipe.template: _plain_digest(recipe.template)} if recipe.is_repeated else None
    same = replace(recipe, secrets=(), is_repeated=False)
    return digest_of(recipe_text(_body(same, digests)))


def _body(recipe: Recipe, digests: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a recipe as it is stored; ``digests`` are those of its texts that are known."""
    body = {
        "template": (digests or {}).get(recipe.template) or _digest(recipe.template),
        "files": digest_of(_files_text(recipe.files)),
        "environment_files": list(recipe.environment_files),
        "environment": _digest(recipe.environment),
        "parameters": dict(recipe.parameters),
    }
    more: dict[str, Any] = {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in ((name, getattr(recipe, name)) for name in _MORE)
    }
    more["dropped"] = {file: list(names) for file, names in recipe.dropped.items()}
    more["secrets"] = list(recipe.secrets)
    return {**body, **{key: value for key, value in more.items() if value}}


def _files_text(files: Mapping[str, str]) -> str:
    digests = {name: _digest(body) for name, body in files.items()}
    return json.dumps(digests, sort_keys=True)


def _digest(text: str) -> str:
    return _digest_of_short(text) if len(text) <= _SHORT else _long_digests.of(text)


@lru_cache(256)
def _digest_of_short(text: str) -> str:
    """Return the digest of a text; the members of a group are all made of the same ones."""
    return digest_of(text)


_plain_digest = lru_cache(16)(plain_digest)
"""Of a text that is short itself most of the time: few groups are so large."""


def fetch(connection: Connection, project: str, digest: str) -> Recipe:
    """Return a stored recipe of a project."""
    body = read_recipe(connection, project, digest)
    wanted = {body["template"], body["environment"], body["files"]}
    texts = read_contents(connection, project, wanted)
    names = json.loads(texts[body["files"]])
    texts |= read_contents(connection, project, set(names.values()))
    return Recipe(
        texts[body["template"]],
        {name: texts[key] for name, key in names.items()},
        tuple(body["environment_files"]),
        texts[body["environment"]],
        body["parameters"],
        **{name: body[name] for name in _MORE if name in body},
        secrets=tuple(body.get("secrets", ())),
    )


class _LongDigests:
    """Digests of the long texts that are in hand: each is asked for several times."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, str] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def of(self, text: str) -> str:
        """Return the digest of a text."""
        with self._lock:
            found = self._known.get(text)
            if found is not None:
                self._known.move_to_end(text)
                return found
        found = digest_of(text)
        with self._lock:
            if text not in self._known and len(text) <= _LONGEST:
                self._known[text] = found
                self._size += len(text)
            while self._size > _LONGEST:
                self._size -= len(self._known.popitem(last=False)[0])
        return found

    def forget(self) -> None:
        """Let go of the texts."""
        with self._lock:
            self._known.clear()
            self._size = 0


_long_digests: Final = _LongDigests()


def let_go() -> None:
    """Forget what is remembered of long texts only to save time."""
    _long_digests.forget()


def portions(recipe: Recipe) -> Iterator[dict[str, str]]:
    """Yield the digests of a recipe's texts, of as many at a time as are stored in a moment."""
    portion: dict[str, str] = {}
    size = 0
    for text in {recipe.template, *recipe.files.values()}:
        if portion and size + len(text) > _AT_ONCE:
            yield portion
            portion, size = {}, 0
        portion[text] = _digest(text)
        size += len(text)
    yield portion
