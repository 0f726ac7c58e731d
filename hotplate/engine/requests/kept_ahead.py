"""The texts of a large recipe are stored before the transaction that needs them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.stored import portions
from hotplate.engine.store import Store
from hotplate.store.purge import purge_contents_of
from hotplate.store.recipes import keep_contents, sealed_contents

_LARGE: Final = 65_536
"""Characters of a recipe from which on its texts are stored in transactions of their own."""


@asynccontextmanager
async def kept_ahead(
    store: Store, tools: Tools, project: str, recipe: Recipe
) -> AsyncIterator[None]:
    """Store the texts of a large recipe in portions; whatever accepts it inside finds them stored.

    So that holds the writer no longer than if they were small. To seal a text takes as long as to
    store it, and has a transaction of its own. If the recipe is not accepted after all,
    what nothing refers to is removed again: who is refused leaves nothing behind.
    """
    if recipe.size <= _LARGE:
        yield
        return
    stored: set[str] = set()
    try:
        for digests in await tools.world.in_turn(lambda: list(portions(recipe))):
            seal = partial(sealed_contents, project=project, digests=digests)
            keep = partial(
                keep_contents,
                project=project,
                bodies=digests,
                digests=digests,
                sealed=await store.transact(seal),
            )
            stored |= await store.transact(keep)
        yield
    except BaseException:
        if stored:
            await store.transact(partial(purge_contents_of, project=project, digests=stored))
        raise
