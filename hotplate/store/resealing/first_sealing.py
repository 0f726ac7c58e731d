"""Sealing a database whose rows are plain: the last part of an upgrade, in its transaction.

Contents and recipes are found by their digests, which the key of a project encrypts: each project
gets its own copies, whatever refers to them is changed, and the plain ones are removed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Column, Connection, delete, select, update

from hotplate.store.recipes import keep_contents, keep_inclusions, keep_recipe
from hotplate.store.resealing.rekey import bound_row, pages, write
from hotplate.store.schema import content, inclusion, recipe, snapshot, stack, version
from hotplate.store.sealing import Sealer, Seals
from hotplate.store.sealing.catalogue import TABLES, SealedTable
from hotplate.store.sealing.progress import note_sealed
from hotplate.store.versions import REFERENCE, awaited
from hotplate.store.workflows.schema import METADATA, workflow_execution, workflow_text

_PLAIN: Final = re.compile(r"[0-9a-f]{64}")
_BY_DIGEST: Final = frozenset(("content", "recipe", "workflow_text"))
_OF_STACKS: Final = (stack.c.recipe, stack.c.completed_recipe, stack.c.carried_recipe)


def seal_rows(connection: Connection, sealer: Sealer) -> int:
    """Seal all rows of a database that nobody else uses; return how many there were.

    Afterwards every one has been opened again. All of it is one transaction: a process that dies
    leaves the database as it was. Rows of stacks that are not there any more are removed.
    """
    projects = dict(connection.execute(select(stack.c.id, stack.c.project)).all())
    number = _seal_recipes(connection, sealer, projects) + _seal_texts(connection, sealer)
    for table in TABLES:
        if table.name not in _BY_DIGEST:
            number += _seal_table(connection, sealer, table, projects)
    _verify(connection, sealer, projects)
    note_sealed(connection, is_clean=not number)
    return number


def _seal_recipes(connection: Connection, sealer: Sealer, projects: Mapping[str, str]) -> int:
    old = set(connection.execute(select(recipe.c.digest)).scalars())
    contents = set(connection.execute(select(content.c.digest)).scalars())
    wanted: dict[str, set[str]] = {}
    for column in _OF_STACKS:
        for project, digest in connection.execute(select(stack.c.project, column).distinct()):
            if digest and _PLAIN.fullmatch(digest):
                wanted.setdefault(project, set()).add(digest)
    for column in (version.c.recipe, snapshot.c.recipe):
        query = select(column.table.c.stack_id, column).distinct()
        for stack_id, digest in connection.execute(query):
            if _PLAIN.fullmatch(digest) and stack_id in projects:
                wanted.setdefault(projects[stack_id], set()).add(digest)
    number = 0
    for project, digests in wanted.items():
        for digest in sorted(digests):
            if digest in old:
                _copy(connection, project, digest)
            _rename(connection, sealer.seals(connection, project), project, digest)
            number += 1
    _remove(connection, recipe.c.digest, old)
    _remove(connection, inclusion.c.holder, contents)
    _remove(connection, content.c.digest, contents)
    return number + len(contents)


def _copy(connection: Connection, project: str, digest: str) -> None:
    """Keep a plain recipe, and everything in it, as the project's own."""
    query = select(recipe.c.body).where(recipe.c.digest == digest)
    body = json.loads(connection.execute(query).scalar_one())
    names = {body["template"], body["environment"], body["files"]}
    texts = _texts(connection, names)
    files = set(json.loads(texts[body["files"]]).values())
    texts |= _texts(connection, files)
    keep_contents(connection, project, texts.values())
    keep_inclusions(connection, project, body["files"], files)
    keep_recipe(connection, project, body)


def _texts(connection: Connection, digests: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    listed = sorted(digests)
    for start in range(0, len(listed), 500):
        some = content.c.digest.in_(listed[start : start + 500])
        query = select(content.c.digest, content.c.body).where(some)
        found.update(connection.execute(query).all())
    return found


def _rename(connection: Connection, seals: Seals, project: str, digest: str) -> None:
    """Let everything of a project that names a plain recipe name the sealed one."""
    own = select(stack.c.id).where(stack.c.project == project)
    stored = seals.stored(digest)
    for column in _OF_STACKS:
        statement = update(stack).where(stack.c.project == project, column == digest)
        connection.execute(statement.values({column.name: stored}))
    for column in (version.c.recipe, snapshot.c.recipe):
        table = METADATA.tables[column.table.name]
        statement = update(table).where(column == digest, table.c.stack_id.in_(own))
        connection.execute(statement.values({column.name: stored}))


def _seal_texts(connection: Connection, sealer: Sealer) -> int:
    old = dict(connection.execute(select(workflow_text.c.digest, workflow_text.c.body)).all())
    columns = (workflow_execution.c.project, workflow_execution.c.text)
    for project, digest in connection.execute(select(*columns).distinct()).all():
        if digest not in old:
            continue
        seals = sealer.seals(connection, project)
        stored = seals.stored(digest)
        body = seals.seal("workflow_text|body", stored, old[digest])
        connection.execute(workflow_text.insert().values(digest=stored, body=body))
        connection.execute(
            update(workflow_execution)
            .where(workflow_execution.c.project == project, workflow_execution.c.text == digest)
            .values(text=stored)
        )
    _remove(connection, workflow_text.c.digest, old)
    return len(old)


def _remove(connection: Connection, column: Column[str], digests: Iterable[str]) -> None:
    listed = sorted(digests)
    for start in range(0, len(listed), 500):
        connection.execute(delete(column.table).where(column.in_(listed[start : start + 500])))


def _seal_table(
    connection: Connection, sealer: Sealer, table: SealedTable, projects: Mapping[str, str]
) -> int:
    number, after = 0, None
    target = METADATA.tables[table.name]
    while rows := pages(connection, table, after, _more(table)):
        for row in rows:
            project = _project(table, row, projects)
            if project is None:
                connection.execute(delete(target).where(target.c[table.pages] == row[table.pages]))
                continue
            seals, at = sealer.seals(connection, project), bound_row(table, row)
            changes = {
                name: seals.seal(f"{table.name}|{name}", at, row[name])
                for name in table.columns
                if row[name] is not None
            }
            if table.name == "version":
                changes |= _of_version(row, seals)
            changes = {name: value for name, value in changes.items() if value != row[name]}
            if changes:
                write(connection, table, row, changes)
                number += 1
        after = rows[-1][table.pages]
    return number


def _more(table: SealedTable) -> tuple[str, ...]:
    named = () if table.project is None else (table.project,)
    if table.name == "version":
        return (*named, "fingerprint", "reference_mark", "listens", "awaits")
    return named


def _of_version(row: Mapping[str, Any], seals: Seals) -> dict[str, Any]:
    """Return what else is kept of the sealed columns of a version."""
    properties = json.loads(row["definition"]).get("properties") or {}
    handle = properties.get("handle", properties.get("Handle"))
    listens = seals.mark(REFERENCE, handle) if isinstance(handle, str) else None
    reference, cookie = row["reference"], row["cookie"]
    return {
        "fingerprint": seals.stored_for("version|fingerprint", row["id"], row["fingerprint"]),
        "reference_mark": None if reference is None else seals.mark(REFERENCE, reference),
        "listens": listens if row["listens"] else None,
        "awaits": None if cookie is None else awaited(json.loads(cookie)),
    }


def _verify(connection: Connection, sealer: Sealer, projects: Mapping[str, str]) -> None:
    """See whether every value opens. Raises CannotOpen, and then nothing is committed."""
    for table in TABLES:
        after = None
        while rows := pages(connection, table, after, _more(table)):
            for row in rows:
                project = _project(table, row, projects)
                if project is not None:
                    _open(sealer.seals(connection, project), table, row)
            after = rows[-1][table.pages]


def _open(seals: Seals, table: SealedTable, row: Mapping[str, Any]) -> None:
    for name in table.columns:
        if row[name] is not None:
            seals.open(f"{table.name}|{name}", bound_row(table, row), row[name])


def _project(table: SealedTable, row: Mapping[str, Any], projects: Mapping[str, str]) -> str | None:
    if table.project is None:
        return None
    named: str = row[table.project]
    return projects.get(named) if table.project == "stack_id" else named
