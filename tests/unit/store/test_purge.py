"""The purge removes what nobody needs, and nothing else."""

from sqlalchemy import Connection, Engine, func, insert, select

from hotplate.store.events import insert_events
from hotplate.store.nodes import insert_nodes
from hotplate.store.purge import Purged, purge
from hotplate.store.recipes import digest_of, keep_contents, keep_inclusions, keep_recipe
from hotplate.store.schema import METADATA, content, event, recipe, snapshot, stack
from hotplate.store.stacks import insert_stacks
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_node, a_version, event_row, stack_row


def kept(connection: Connection, template: str, *files: str) -> str:
    """Keep a recipe as the engine does."""
    listing = f"files of {template}"
    keep_contents(connection, "p", [template, "", listing, *files])
    keep_inclusions(connection, "p", digest_of(listing), map(digest_of, files))
    names = {"template": template, "environment": "", "files": listing}
    return keep_recipe(connection, "p", {key: digest_of(body) for key, body in names.items()})


def bodies(engine: Engine) -> set[str]:
    with engine.begin() as connection:
        return set(connection.execute(select(content.c.body)).scalars())


def test_recipes_without_a_reference_go_with_all_that_only_they_use(engine: Engine) -> None:
    with engine.begin() as connection:
        used = kept(connection, "used", "shared", "mine")
        kept(connection, "orphan", "shared", "theirs")
        insert_stacks(connection, [stack_row("s", recipe=used)])
    assert purge(engine, batch=2) == Purged(recipes=1, contents=3)
    assert bodies(engine) == {"used", "", "files of used", "shared", "mine"}
    assert purge(engine) == Purged()


def test_every_kind_of_reference_counts(engine: Engine) -> None:
    with engine.begin() as connection:
        first, second, third, fourth, fifth = (
            kept(connection, f"t{number}") for number in range(5)
        )
        row = stack_row("s", recipe=first, completed_recipe=second, carried_recipe=fifth)
        insert_stacks(connection, [row])
        insert_versions(connection, [a_version(1, recipe=third)])
        row = {
            "id": "n", "stack_id": "s", "status": "COMPLETE", "reason": "", "recipe": fourth,
            "data": "{}", "created_at": 1.0,
        }  # fmt: skip
        connection.execute(insert(snapshot), [row])
    assert purge(engine) == Purged()


def test_events_go_when_they_are_old(engine: Engine) -> None:
    with engine.begin() as connection:
        insert_events(connection, [event_row(number) for number in range(1, 21)])
    assert purge(engine, event_age=90, batch=4, clock=lambda _: 100.0) == Purged(events=9)
    with engine.begin() as connection:
        assert connection.execute(select(func.min(event.c.at))).scalar() == 10.0


def test_events_are_left_alone_without_an_age(engine: Engine) -> None:
    with engine.begin() as connection:
        insert_events(connection, [event_row(1)])
    assert purge(engine) == Purged()


def test_deleted_stacks_go_when_they_are_old_with_all_that_is_theirs(engine: Engine) -> None:
    with engine.begin() as connection:
        rows = [
            stack_row(name, recipe=kept(connection, name), deleted_at=at, name_lock=None)
            for name, at in (("old", 5.0), ("young", 50.0), ("alive", None))
        ]
        insert_stacks(connection, rows)
        for number, name in enumerate(("old", "young", "alive"), start=1):
            insert_versions(connection, [a_version(number, stack_id=name, recipe="")])
            insert_nodes(connection, [a_node(number, stack_id=name)])
            insert_events(connection, [event_row(number, stack_id=name)])
    purged = purge(engine, stack_age=60, clock=lambda _: 100.0)
    assert purged == Purged(stacks=1, events=1, recipes=1, contents=2)
    with engine.begin() as connection:
        assert set(connection.execute(select(stack.c.id)).scalars()) == {"young", "alive"}
        for table in METADATA.sorted_tables:
            if "stack_id" in table.c:
                assert "old" not in connection.execute(select(table.c.stack_id)).scalars().all()
        assert connection.execute(select(func.count()).select_from(recipe)).scalar() == 2
