"""How recipes are stored: each text once for a project, under its digest."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.document.repeated import plain_digest
from hotplate.environment.recipe import RARE, Recipe
from hotplate.store.recipes import (
    digest_of,
    keep_contents,
    keep_inclusions,
    keep_recipes,
    recipe_text,
)

_SHORT: Final = 65_536
"""Characters of a text that may be kept in memory only to know its digest."""

_AT_ONCE: Final = 524_288
"""Characters of texts that are stored in one transaction, unless a single one has more."""


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
        for name, value in ((name, getattr(recipe, name)) for name in RARE)
    }
    more["dropped"] = {file: list(names) for file, names in recipe.dropped.items()}
    more["secrets"] = list(recipe.secrets)
    return {**body, **{key: value for key, value in more.items() if value}}


def _files_text(files: Mapping[str, str]) -> str:
    digests = {name: _digest(body) for name, body in files.items()}
    return json.dumps(digests, sort_keys=True)


def _digest(text: str) -> str:
    return _digest_of_short(text) if len(text) <= _SHORT else digest_of(text)


@lru_cache(256)
def _digest_of_short(text: str) -> str:
    """Return the digest of a text; the members of a group are all made of the same ones."""
    return digest_of(text)


_plain_digest = lru_cache(16)(plain_digest)
"""Of a text that is short itself most of the time: few groups are so large."""


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
