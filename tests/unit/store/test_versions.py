"""Queries on versions."""

from dataclasses import replace

from sqlalchemy import Connection

from hotplate.model import NOT_APPLIED, Action, Definition, Relation, Status
from hotplate.store.large.survey import kinds_of_versions, offered_by_id, references_by_id, survey
from hotplate.store.versions import (
    build_rows,
    confirm,
    confirm_all,
    insert_versions,
    move_requirements,
    published,
    purge_deleted,
    read_versions,
    remove_versions,
    remove_versions_of,
    save_versions,
    types_of_versions,
    unfinished_versions,
    versions_of,
)
from tests.unit.store.rows import a_stack, a_version

ALIKE = Definition("T", "K", {"a": 1}, {}, "", {}, ())
FULL = a_version(
    1 << 40,
    physical_id="ä😀",
    reason="r" * 100_000,
    fingerprint="f",
    definition=Definition("T", "K", {"a": [1, None]}, {"m": 1}, "Delete", {}, ("other",)),
    requires=[1, 2],
    needed=[3],
    before={"b": 1},
    replaces=7,
    replaced_by=8,
    reference="ref",
    attributes={"x": {"y": []}},
    data={"k": "v"},
    cookie=[1],
    intent=Action.UPDATE,
    attempt=3,
    intent_at=2.5,
    updated_at=3.5,
)


def test_a_version_is_read_as_it_was_inserted(connection: Connection) -> None:
    insert_versions(connection, [FULL])
    assert read_versions(connection, [FULL.id, 5]) == {FULL.id: FULL}


def test_a_version_is_read_as_it_was_saved(connection: Connection) -> None:
    insert_versions(connection, [a_version(FULL.id, uuid=FULL.uuid)])
    save_versions(connection, [FULL])
    assert versions_of(connection, "s") == [FULL]


def test_a_row_that_was_built_before_is_written_as_it_was_then(connection: Connection) -> None:
    insert_versions(connection, [a_version(each) for each in (1, 2, 3)])
    changed = [a_version(each, reason="new") for each in (1, 2, 3)]
    built = build_rows(connection, changed[:2])
    assert [built[each].version for each in (1, 2)] == changed[:2]
    changed[0].reason = changed[2].reason = "newer"
    save_versions(connection, changed, built)
    assert [each.reason for each in versions_of(connection, "s")] == ["new", "new", "newer"]


def test_types_are_those_that_templates_name(connection: Connection) -> None:
    insert_versions(connection, [FULL, a_version(2, type="other")])
    assert types_of_versions(connection, [FULL.id, 2, 3]) == {FULL.id: "T", 2: "other"}


def test_a_survey_leaves_out_what_is_large(connection: Connection) -> None:
    insert_versions(connection, [FULL, a_version(2)])
    small, found = survey(connection, "s")
    assert (small.id, found.id) == (2, FULL.id)
    assert (found.requires, found.fingerprint, found.replaces) == ([1, 2], "f", 7)
    assert (found.intent, found.reference) == (Action.UPDATE, None)
    assert references_by_id(connection, "s") == {FULL.id: "ref"}
    assert (found.definition, found.attributes, found.data) == (NOT_APPLIED, {}, {})


def test_attributes_are_found_by_the_names_of_resources(connection: Connection) -> None:
    insert_versions(connection, [a_version(number, attributes={"n": number}) for number in (1, 2)])
    many = [f"name{number}" for number in range(2, 1500)]
    assert offered_by_id(connection, "s", many) == {2: ({"n": 2}, None)}


def test_kinds_tell_what_is_visited_each_time(connection: Connection) -> None:
    insert_versions(
        connection,
        [
            a_version(1, type="A"),
            a_version(2, type="A"),
            a_version(3, type="B", relation=Relation.EXTERNAL),
            a_version(4, type="C", always_visited=True),
        ],
    )
    assert kinds_of_versions(connection, "s") == {("A", False), ("B", True), ("C", True)}


def test_only_what_a_traversal_confirmed_is_published(connection: Connection) -> None:
    insert_versions(connection, [a_version(1, owner=1), a_version(2, owner=2), a_version(3)])
    found = published(connection, "s", 1, ["name1", "name2"])
    assert [version.id for version in found] == [1]


def test_all_versions_of_a_traversal_are_handed_over(connection: Connection) -> None:
    insert_versions(connection, [a_version(1, owner=1), a_version(2, owner=9), a_version(3)])
    confirm_all(connection, a_stack(sequence=2, recipe="new"), 1)
    owners = {
        version.id: (version.owner, version.recipe) for version in versions_of(connection, "s")
    }
    assert owners == {1: (2, "new"), 2: (9, "r"), 3: (2, "new")}


def test_some_versions_are_handed_over(connection: Connection) -> None:
    insert_versions(connection, [a_version(1), a_version(2)])
    confirm(connection, a_stack(sequence=5, recipe="new"), [2])
    assert [version.owner for version in versions_of(connection, "s")] == [1, 5]


def test_requirements_move_alone(connection: Connection) -> None:
    insert_versions(connection, [FULL])
    move_requirements(connection, {FULL.id: [9]})
    (found,) = versions_of(connection, "s")
    assert found.requires == [9]
    assert found.needed == [3]


def test_versions_in_progress_are_unfinished(connection: Connection) -> None:
    insert_versions(connection, [a_version(1), a_version(2, status=Status.IN_PROGRESS)])
    assert unfinished_versions(connection, "s") == {2}


def test_versions_are_removed(connection: Connection) -> None:
    rows = [a_version(number) for number in range(1, 1202)]
    rows += [a_version(2000, action=Action.DELETE), a_version(3000, stack_id="t")]
    insert_versions(connection, rows)
    remove_versions(connection, list(range(1, 1201)))
    assert [version.id for version in versions_of(connection, "s")] == [1201, 2000]
    purge_deleted(connection, "s")
    assert [version.id for version in versions_of(connection, "s")] == [1201]
    remove_versions_of(connection, "s")
    assert versions_of(connection, "s") == []
    assert len(versions_of(connection, "t")) == 1


def test_versions_that_say_the_same_share_what_they_say(connection: Connection) -> None:
    others = [replace(ALIKE, properties={"a": each}) for each in range(2, 50)]
    definitions = [ALIKE, replace(ALIKE), replace(ALIKE, type="U"), *others]
    versions = [
        a_version(at, type=each.type, definition=each) for at, each in enumerate(definitions, 1)
    ]
    insert_versions(connection, versions)
    found = read_versions(connection, range(1, 100))
    assert [found[each.id].definition for each in versions] == definitions
    assert found[1].definition is found[2].definition
    assert found[1].definition is not found[3].definition, "its type is another one"
