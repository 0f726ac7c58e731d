"""The recipe that a request brings, with the templates that it names by their addresses."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Final

from hotplate.api.http.endpoint import Call
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fetching import fetched
from hotplate.api.stacks.recipe_body import recipe_of
from hotplate.engine.recipes import Recipe
from hotplate.validation.recipes import may_name_templates, missing_templates

_MOST: Final = 50
"""Templates that are fetched for one request."""

_MUCH: Final = 64 * 1024
"""Characters in which it is not seen on the spot whether they name templates."""

_SCHEMES: Final = ("http://", "https://")


async def requested_recipe(call: Call) -> Recipe:
    """Return the recipe of a request, whole. Raises Fault 400 or InvalidDocument."""
    recipe = await recipe_of(call.body, call.engine.settings, call.evaluate)
    return await with_fetched(call, recipe)


async def with_fetched(call: Call, recipe: Recipe) -> Recipe:
    """Return a recipe with all that it names. Raises Fault 400.

    What a template names by its address and the request does not bring is fetched now, once, and
    kept with the stack: what a stack is made of does not depend on what is there later.
    """
    settings, count = call.engine.settings, 0
    while True:
        is_large = recipe.size > _MUCH
        if not await call.in_turn(partial(may_name_templates, recipe), is_large):
            return recipe
        missing = await call.evaluate(missing_templates, call.project, recipe)
        wanted = [url for url in missing if url.startswith(_SCHEMES)]
        if not wanted:
            return recipe
        count += len(wanted)
        if count > _MOST:
            raise bad_request(
                f"more than {_MOST} templates would have to be fetched; send them in the files"
            )
        texts = await asyncio.gather(*(fetched(url, settings) for url in wanted))
        recipe = replace(recipe, files={**recipe.files, **dict(zip(wanted, texts, strict=True))})
