"""Binding a recipe with all that is found once for all of its resources."""

from typing import TYPE_CHECKING

from hotplate.engine.recipes import Bound, Recipe, RecipeBook, StackFacts
from hotplate.engine.wanted_definition import note_fingerprints

if TYPE_CHECKING:
    from hotplate.engine.context import Tools
    from hotplate.resources.catalogue import Catalogue


def bind_recipe(tools: "Tools", stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
    """Bind a recipe to a stack, its graph and its fingerprints included. Raises InvalidDocument."""
    bound = bind_with_graph(tools, stack, recipe, digest)
    note_fingerprints(tools.catalogue, bound)
    return bound


def bind_with_graph(tools: "Tools", stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
    """Do the same without the fingerprints, which those who resolve all of it note by the way."""
    bound = tools.book.bind(stack, recipe, digest)
    bound.template.graph  # noqa: B018 (found once, here)
    bound.external_ids()
    return bound


def bind_here(
    book: RecipeBook, catalogue: "Catalogue", stack: StackFacts, recipe: Recipe, digest: str
) -> Bound:
    """Do the same on the spot: the rest is found when it is asked for."""
    bound = book.bind(stack, recipe, digest)
    note_fingerprints(catalogue, bound)
    return bound
