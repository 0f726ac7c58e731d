"""Of the versions of a large stack, few are read whole."""

from sqlalchemy import Connection

from hotplate.model import Action, Relation, Status
from hotplate.store.large.survey import counted, glances, named, survey, survey_some
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_stack, a_version

DONE = {"action": Action.CREATE, "status": Status.COMPLETE, "fingerprint": "f"}


def glanced(connection: Connection, recipe: str = "") -> dict[int, str | None]:
    """Return what tells whether a version of the stack is as is wanted, by its id."""
    stack = a_stack(number=0, project="")
    return {row[0]: row[3] for rows in glances(connection, stack, recipe) for row in rows}


def test_a_glance_tells_the_fingerprints_of_versions_in_order(connection: Connection) -> None:
    versions = [
        a_version(1, **DONE),
        a_version(2, **DONE),
        a_version(3, **(DONE | {"status": Status.FAILED})),
        a_version(4, **(DONE | {"action": Action.DELETE})),
        a_version(5, **(DONE | {"action": Action.SUSPEND})),
        a_version(6, **(DONE | {"action": Action.INIT})),
        a_version(7, **DONE, relation=Relation.EXTERNAL),
        a_version(8, **DONE, requires=[1]),
        a_version(9, **DONE, replaces=1),
        a_version(10, **DONE, replaced_by=1),
        a_version(11, **DONE, intent=Action.UPDATE),
    ]
    insert_versions(connection, versions)
    assert glanced(connection) == {1: "f", 2: "f", **dict.fromkeys(range(3, 12), "")}
    assert survey_some(connection, "s", [8, 3]) == [
        each for each in survey(connection, "s") if each.id in (3, 8)
    ]


def test_what_was_confirmed_for_a_recipe_is_not_opened(
    connection: Connection,
) -> None:
    known = "f" * 64
    confirmed = {**DONE, "fingerprint": known, "recipe": "a" * 64}
    versions = [
        a_version(1, **confirmed),
        a_version(2, **(confirmed | {"recipe": "b" * 64})),
        a_version(3, **(confirmed | {"fingerprint": "unapplied"})),
        a_version(4, **confirmed),
    ]
    insert_versions(connection, versions)
    assert glanced(connection, "a" * 64) == {1: None, 2: known, 3: "unapplied", 4: None}


def test_what_was_confirmed_for_a_recipe_is_counted(connection: Connection) -> None:
    """All others are told: of other recipes, out of order, of other owners."""
    stack = a_stack(number=0, project="")
    confirmed = {**DONE, "fingerprint": "f" * 64, "recipe": "a" * 64, "owner": 3}
    versions = [
        a_version(1, **confirmed),
        a_version(2, **(confirmed | {"recipe": "b" * 64})),
        a_version(3, **(confirmed | {"status": Status.FAILED})),
        a_version(4, **confirmed),
        a_version(5, **(confirmed | {"owner": 1})),
        a_version(6, **(confirmed | {"owner": 6})),
    ]
    insert_versions(connection, versions)
    found = counted(connection, stack, "a" * 64, 2, 5)
    assert found is not None
    assert found.number == 2
    assert [(row[0], row[3]) for row in found.others] == [
        (2, "f" * 64),
        (3, ""),
        (5, None),
        (6, None),
    ]
    assert named(connection, stack, ["name3", "name7"]) == [3]
    insert_versions(connection, [a_version(7, name="name1")])
    assert counted(connection, stack, "a" * 64, 2, 5) is None, "two versions of one name"
