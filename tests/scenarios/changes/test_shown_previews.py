"""What a preview shows is made where it is planned: the plan itself does not come along."""

from collections.abc import Iterable
from typing import Any

from hotplate.engine.preview.planned_change import Planned
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.model import Stack
from hotplate.secret import Secrets
from tests.scenarios.changes.test_implicit_dependencies import PORT, created
from tests.scenarios.tellers import Teller


def names(stack: Stack, planned: Iterable[Planned], secrets: Secrets) -> list[str]:
    return sorted(each.path[-1] for each in planned)


def test_only_what_is_shown_comes_from_where_it_is_planned(tell: Teller) -> None:
    with tell() as story:
        created(story)

        async def previews(operations: Operations) -> Any:
            recipe = Recipe(PORT.hot())
            shown = await operations.preview_update(story.stack_id, recipe, show=names)
            new = await operations.preview_create("p", "new", recipe, names)
            plain = await operations.preview_update(story.stack_id, recipe)
            return shown, new, plain

        shown, new, plain = story.simulation.answer(previews)
        assert (shown.planned, new.planned, plain.shown) == ([], [], None)
        assert shown.shown == new.shown == sorted(each.path[-1] for each in plain.planned)
