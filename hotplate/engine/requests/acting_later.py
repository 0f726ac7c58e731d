"""Whether something in a stack calls a cloud when nobody asks."""

from contextlib import suppress
from functools import partial

from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import fetch
from hotplate.engine.store import Store
from hotplate.model import Stack
from hotplate.resources.capabilities import ActsLater
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.store.tree import types_in_tree
from hotplate.validation.recipes import used_types


async def stack_acts_later(store: Store, tools: Tools, stack: Stack) -> bool:
    """Tell whether anything acts later that a stack has, at any depth. One query."""
    types = await store.read(partial(types_in_tree, root_id=stack.root_id))
    return any(_acts_later(tools, name) for name in types)


async def recipe_acts_later(store: Store, tools: Tools, stack: Stack, digest: str) -> bool:
    """Tell whether anything would that a stack is made of by a stored recipe.

    Also if the recipe makes no sense any more: nobody is refused for that here.
    """
    bound = tools.book.known(stack.id, digest)
    if bound is not None and bound.is_validated:
        return bound.acts_later
    recipe = await store.read(partial(fetch, project=stack.project, digest=digest))
    types = await tools.evaluate(Evaluation(stack.project, used_types, (stack.project, recipe)))
    return any(_acts_later(tools, name) for name in types)


def _acts_later(tools: Tools, type_name: str) -> bool:
    with suppress(UnknownType, InvalidDocument):
        return isinstance(resource_type_for(tools.catalogue, type_name), ActsLater)
    return False
