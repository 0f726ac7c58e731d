"""At which hooks a node waits, and what the environment forbids."""

import json

import pytest

from hotplate.engine.check.claims import Claim
from hotplate.engine.check.hooks import has_passed_last, hook_after, hook_before
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.restrictions import restricted_steps
from hotplate.environment import Hook
from hotplate.model import Action, Node, Stack, Version
from hotplate.plan.decide import Step
from hotplate.resources.catalogue import Catalogue
from tests.unit.store.rows import a_node, a_version

TEMPLATE = json.dumps(
    {"heat_template_version": "2021-04-16", "resources": {"web": {"type": "OS::Heat::None"}}}
)
ALL = [hook.value for hook in Hook]


def bound(**settings: object) -> Bound:
    resources = {"*": settings}
    environment = json.dumps({"resource_registry": {"resources": resources}})
    recipe = Recipe(TEMPLATE, environment=environment)
    return RecipeBook(Catalogue(())).bind(StackFacts("id", "name", "project"), recipe, "digest")


def a_claim(action: Action, version: Version | None = None, node: Node | None = None) -> Claim:
    stack = Stack(
        number=1, id="s", name="s", project="p", root_id="s", parent_id=None, parent_version=None,
        depth=0, recipe="r", completed_recipe=None, traversal=None, sequence=1, counter=0, need=0,
        update_need=0, action=action, status=a_version(1).status, reason="", rollback=False,
        timeout=None, deadline=None, tags=(), created_at=0, updated_at=None, deleted_at=None,
    )  # fmt: skip
    return Claim(node or a_node(1, name="web"), version or a_version(1, name="web"), stack)


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE, Action.DELETE])
def test_there_is_a_hook_before_and_one_after_each_action(action: Action) -> None:
    claim = a_claim(Action.DELETE if action is Action.DELETE else Action.UPDATE)
    word = action.value.lower()
    assert hook_before(bound(hooks=ALL), claim, action) == f"pre-{word}"
    assert hook_after(bound(hooks=ALL), claim, action) == f"post-{word}"
    assert hook_before(bound(hooks=[f"post-{word}"]), claim, action) is None
    assert hook_after(bound(hooks=[f"pre-{word}"]), claim, action) is None


@pytest.mark.parametrize("action", [Action.SUSPEND, Action.RESUME, Action.CHECK, Action.ADOPT])
def test_other_actions_have_none(action: Action) -> None:
    assert hook_before(bound(hooks=ALL), a_claim(action), action) is None
    assert hook_after(bound(hooks=ALL), a_claim(action), action) is None


def test_a_hook_that_was_cleared_is_passed() -> None:
    node = a_node(1, name="web", passed="pre-update")
    claim = a_claim(Action.UPDATE, node=node)
    assert hook_before(bound(hooks=ALL), claim, Action.UPDATE) is None
    assert hook_after(bound(hooks=ALL), claim, Action.UPDATE) == "post-update"
    assert not has_passed_last(claim)
    assert has_passed_last(a_claim(Action.UPDATE, node=a_node(1, passed="post-update")))


def test_a_replacement_is_made_and_the_replaced_deleted_without_hooks() -> None:
    new, old = a_version(2, name="web", replaces=1), a_version(1, name="web", replaced_by=2)
    assert hook_before(bound(hooks=ALL), a_claim(Action.UPDATE, new), Action.CREATE) is None
    assert hook_before(bound(hooks=ALL), a_claim(Action.UPDATE, old), Action.DELETE) is None
    assert hook_before(bound(hooks=ALL), a_claim(Action.DELETE, old), Action.DELETE) is None


def test_an_update_deletes_with_hooks_what_is_no_longer_wanted() -> None:
    wanted, gone = a_version(1, name="web"), a_version(2, name="old")
    claim = a_claim(Action.UPDATE, wanted)
    assert hook_before(bound(hooks=ALL), claim, Action.DELETE) is None
    claim = a_claim(Action.UPDATE, gone, a_node(1, name="old"))
    assert hook_before(bound(hooks=ALL), claim, Action.DELETE) == "pre-delete"


@pytest.mark.parametrize("action", [Action.CREATE, Action.DELETE])
def test_a_rollback_makes_and_deletes_without_hooks(action: Action) -> None:
    claim = a_claim(Action.ROLLBACK, a_version(1, name="old"), a_node(1, name="old"))
    assert hook_before(bound(hooks=ALL), claim, action) is None
    assert hook_after(bound(hooks=ALL), claim, action) is None


def test_restrictions_are_steps() -> None:
    assert restricted_steps(bound(hooks="pre-create"), "web") == frozenset()
    assert restricted_steps(bound(restricted_actions="update"), "web") == {Step.UPDATE}
    both = bound(restricted_actions=["update", "replace"])
    assert restricted_steps(both, "web") == {Step.UPDATE, Step.REPLACE}
