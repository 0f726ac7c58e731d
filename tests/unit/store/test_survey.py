"""Of a large stack, what is in order is read apart from all others."""

from sqlalchemy import Connection

from hotplate.model import Action, Relation, Status
from hotplate.store.room.survey import other_versions, survey, survey_some, versions_in_order
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_version

DONE = {"action": Action.CREATE, "status": Status.COMPLETE, "fingerprint": "f"}


def test_every_version_is_either_in_order_or_among_the_others(connection: Connection) -> None:
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
    found = [(each.id, each.fingerprint) for each in versions_in_order(connection, "s")]
    assert found == [(1, "f"), (2, "f")]
    others = other_versions(connection, "s")
    assert others == {number: f"name{number}" for number in range(3, 12)}
    assert survey_some(connection, "s", [8, 3]) == [
        each for each in survey(connection, "s") if each.id in (3, 8)
    ]


def test_what_was_confirmed_for_a_recipe_that_tells_enough_is_not_opened(
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
    found = versions_in_order(connection, "s", "a" * 64, lambda name: name != "name4")
    assert [each.fingerprint for each in found] == [None, known, "unapplied", known]
