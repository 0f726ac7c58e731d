"""The bytes of a project are counted by joins: a project may have hundreds of stacks."""

from typing import Any

from sqlalchemy import event

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.stored import keep
from hotplate.store.capacity.project_bytes import bytes_of_project
from hotplate.store.database import create_tables, open_engine
from hotplate.store.stacks import insert_stacks
from tests.unit.store.rows import stack_row

_SHARED = "x" * 20_000
_OWN = 10_000
_MARIADB = ("mariadb", "mysql")


def _recipe(number: int) -> Recipe:
    files = {"shared.yaml": _SHARED, "own.yaml": f"{number:0{_OWN}}"}
    return Recipe("heat_template_version: wallaby\n", files)


def test_texts_count_once_for_each_project_and_are_found_by_their_keys(database_url: str) -> None:
    engine = open_engine(database_url)
    create_tables(engine)
    asked: list[tuple[str, Any]] = []
    with engine.begin() as connection:
        for project, count in (("p", 20), ("q", 1)):
            for number in range(count):
                recipe = keep(connection, project, _recipe(number))
                row = stack_row(f"{project}{number}", project=project, recipe=recipe)
                insert_stacks(connection, [{**row, "completed_recipe": recipe}])
    with engine.connect() as connection:
        event.listen(
            connection,
            "before_cursor_execute",
            lambda of, cursor, statement, parameters, *_: asked.append((statement, parameters)),
        )
        many, one = (bytes_of_project(connection, project) for project in "pq")
        nobody = bytes_of_project(connection, "r")
        statements = list(asked)
        for statement, parameters in statements if connection.dialect.name in _MARIADB else ():
            plan = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).fetchall()
            # What depends on each row of what is around it takes minutes with some hundred stacks.
            assert not any("DEPENDENT" in str(row[1]) for row in plan), statement
    engine.dispose()
    assert nobody == 0
    assert len(_SHARED) + _OWN < one < len(_SHARED) + _OWN + 5_000
    assert 19 * _OWN < many - one < 19 * (_OWN + 2_500)
