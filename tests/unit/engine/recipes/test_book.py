"""What the book keeps of recipes: those in use, and nothing of what is gone."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import create_engine

from hotplate.document import InvalidDocument
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts, fetch
from hotplate.engine.recipes.stored import digest_of_contents, keep
from hotplate.model import Action, Stack, Status
from hotplate.resources.catalogue import Catalogue
from hotplate.store.database import create_tables

NO_TYPES = Catalogue(())


def recipe(value: str, resources: int = 1) -> Recipe:
    kind = {"type": "OS::Heat::Value", "properties": {"value": value}}
    names = [f"r{number}" for number in range(resources)]
    body = {"heat_template_version": "wallaby", "resources": dict.fromkeys(names, kind)}
    return Recipe(json.dumps(body))


def bind(book: RecipeBook, stack: str, value: str, resources: int = 1) -> Bound:
    bound = book.bind(StackFacts(stack, "name", "project"), recipe(value, resources), value)
    book.keep(stack, bound)
    return bound


def a_stack(digest: str) -> Stack:
    return Stack(
        number=1, id="a", name="name", project="project", root_id="a", parent_id=None,
        parent_version=None, depth=0, recipe=digest, completed_recipe=None, traversal=None,
        sequence=1, counter=1, need=0, update_need=0, action=Action.CREATE,
        status=Status.COMPLETE, reason="", rollback=False, timeout=None, deadline=None, tags=(),
        created_at=0.0, updated_at=None, deleted_at=None,
    )  # fmt: skip


def test_what_is_bound_is_known() -> None:
    book = RecipeBook(NO_TYPES)
    bound = bind(book, "a", "x")
    assert book.known("a", "x") is bound
    assert book.known("b", "x") is None
    assert book.weight == bound.weight


def test_nothing_is_kept_of_a_stack_that_is_forgotten() -> None:
    book = RecipeBook(NO_TYPES)
    bind(book, "a", "x")
    bind(book, "a", "y")
    kept = bind(book, "b", "x")
    book.forget("a")
    book.forget("nobody")
    assert book.known("a", "x") is None
    assert book.weight == kept.weight


def test_who_binds_a_stack_that_has_just_gone_does_not_bring_it_back() -> None:
    book = RecipeBook(NO_TYPES)
    book.forget("a")
    assert bind(book, "a", "x").template.resources
    assert book.known("a", "x") is None
    assert book.weight == 0


def test_of_a_stack_that_changes_again_and_again_the_last_two_are_kept() -> None:
    book = RecipeBook(NO_TYPES)
    for number in range(10):
        bind(book, "a", str(number))
    assert [number for number in range(10) if book.known("a", str(number))] == [8, 9]


def test_what_was_used_lately_is_kept_up_to_a_weight() -> None:
    book = RecipeBook(NO_TYPES, most=3 * bind(RecipeBook(NO_TYPES), "a", "x", 10).weight)
    for stack in "abc":
        bind(book, stack, "x", 10)
    assert book.known("a", "x")
    bind(book, "d", "x", 10)
    assert [stack for stack in "abcd" if book.known(stack, "x")] == ["a", "c", "d"]


def test_light_ones_do_not_drive_out_the_one_that_is_heavy() -> None:
    """Who asks for a large group asks for the stack around it as well, again and again."""
    book = RecipeBook(NO_TYPES, most=3 * bind(RecipeBook(NO_TYPES), "a", "x", 10).weight)
    bind(book, "heavy", "x", 100)
    for stack in "abcd":
        bind(book, stack, "x", 10)
    assert [each for each in ("heavy", *"abcd") if book.known(each, "x")] == ["heavy", *"bcd"]
    bind(book, "heavy", "y", 101)
    assert not book.known("heavy", "x"), "of what is heavy only the newest is kept"
    bind(book, "heavier", "x", 200)
    assert not book.known("heavy", "y")
    assert book.known("d", "x")


def test_a_stack_that_is_gone_can_be_looked_at_and_is_not_kept() -> None:
    book = RecipeBook(NO_TYPES)
    engine = create_engine("sqlite://")
    create_tables(engine)
    with engine.begin() as connection:
        digest = keep(connection, "project", recipe("x"))
        stack = a_stack(digest)
        assert book.bound(connection, replace(stack, deleted_at=1.0), digest).template.resources
        assert book.weight == 0
        book.bound(connection, stack, digest)
        assert book.weight
    engine.dispose()


def test_large_environments_count_as_much_as_they_take() -> None:
    book = RecipeBook(NO_TYPES, most=1000)
    values = {f"p{number}": "x" * 20 for number in range(2000)}
    for number in range(10):
        large = replace(
            recipe("a"), environment=json.dumps({"parameter_defaults": {**values, "n": number}})
        )
        facts = StackFacts(f"s{number}", "name", "project")
        book.keep(facts.id, book.bind(facts, large, "digest"))
    known = [number for number in range(10) if book.known(f"s{number}", "digest")]
    assert known in ([8, 9], [9])


def test_a_template_that_repeats_itself_is_stored_and_read_in_a_few_words() -> None:
    member = {"type": "OS::Heat::Value", "properties": {"value": "x"}}
    body = {
        "heat_template_version": "wallaby",
        "resources": dict.fromkeys(map(str, range(2_000)), member),
    }
    few, full = Recipe("").with_template(body), Recipe(json.dumps(body))
    assert len(few.template) < 300
    assert digest_of_contents(few) == digest_of_contents(full), "the same group as before"
    engine = create_engine("sqlite://")
    create_tables(engine)
    with engine.begin() as connection:
        digest = keep(connection, "project", few)
        assert fetch(connection, "project", digest) == few
    facts = StackFacts("a", "name", "project")
    one, other = (RecipeBook(NO_TYPES).bind(facts, each, "x").template for each in (few, full))
    assert list(one.resources) == list(other.resources)
    assert one.properties("1999") == other.properties("1999") == {"value": "x"}
    assert one.resources["1999"].path == other.resources["1999"].path
    assert one.graph.order() == other.graph.order()
    assert one.template.data == other.template.data


def test_such_a_text_is_refused_from_anybody_else() -> None:
    names = map(str, range(2_000))
    text = Recipe("").with_template({"resources": dict.fromkeys(names, "x")}).template
    with pytest.raises(InvalidDocument):
        RecipeBook(NO_TYPES).bind(StackFacts("a", "name", "project"), Recipe(text), "x")


def test_at_rest_a_heavy_one_that_nobody_asks_for_is_let_go() -> None:
    book = RecipeBook(NO_TYPES, most=50)
    bind(book, "heavy", "x", 100)
    bind(book, "light", "x")
    book.let_go()
    assert book.known("heavy", "x"), "it has been used since"
    book.let_go()
    assert book.known("heavy", "x"), "and again"
    book.let_go()
    book.let_go()
    assert not book.known("heavy", "x")
    assert book.known("light", "x")
    bind(book, "heavy", "x", 100)
    assert book.known("heavy", "x")


def test_at_rest_nothing_is_kept_of_what_a_large_stack_wanted_before() -> None:
    book = RecipeBook(NO_TYPES)
    whose = StackFacts("a", "name", "project")
    for value in "xy":
        bound = book.bind(whose, recipe(value), value)
        bound.fingerprints.note("r0", value)
        book.keep("a", bound)
    assert bound.unchanged is not None
    book.let_go()
    assert bound.unchanged is None
