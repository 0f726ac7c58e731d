"""A preview of a large stack reads whole what it will not leave alone."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.preview.present_versions import present_versions
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.wanted_definition import bind_recipe
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Difference, Status, Version
from hotplate.resources.catalogue import installed
from hotplate.store.database import create_tables, open_engine
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_stack, a_version

MANY = 600
DONE: dict[str, Any] = {
    "action": Action.CREATE,
    "status": Status.COMPLETE,
    "attributes": {"value": "x"},
}


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = open_engine("sqlite://")
    create_tables(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@pytest.fixture(scope="module")
def bound() -> Bound:
    catalogue = installed()
    tools = Tools(RealWorld(), RecipeBook(catalogue), catalogue)
    resources: dict[str, Any] = {f"r{at}": {"type": "OS::Heat::RandomString"} for at in range(MANY)}
    value = {"get_attr": ["r1", "value"]}
    resources["needs"] = {"type": "OS::Heat::Value", "properties": {"value": value}}
    text = json.dumps({"heat_template_version": "wallaby", "resources": resources})
    return bind_recipe(tools, StackFacts("s", "s", "p"), Recipe(text), "digest")


def test_of_what_is_left_alone_little_is_read(connection: Connection, bound: Bound) -> None:
    wanted = bound.fingerprints["r0"]

    def version(number: int, name: str, **more: Any) -> Version:
        return a_version(number, name=name, **{**DONE, "fingerprint": wanted, **more})

    differences = (Difference("length", 1, 2),)
    versions = [
        version(1, "r0"),
        version(2, "r1"),  # another one asks something of it
        version(3, "r2", fingerprint="other"),
        version(4, "r3", status=Status.FAILED),
        version(5, "r4", differences=differences),
        version(6, "r5"),
        version(7, "r5"),  # two of one name
        version(8, "r6", requires=[1]),
        version(9, "removed"),
        version(10, "r7"),
    ]
    insert_versions(connection, versions)
    whole = present_versions(connection, a_stack(number=0), None)
    assert [each.id for each in whole.versions] == list(range(1, 11))
    assert all(each.attributes for each in whole.versions)
    few = present_versions(connection, a_stack(number=0), bound)
    assert [each.id for each in few.versions] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert all(each.attributes for each in few.versions)
    assert few.versions[3].differences == differences
    assert few.untouched == {"r0": 1, "r7": 10}
