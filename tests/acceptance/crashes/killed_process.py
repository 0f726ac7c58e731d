"""A real engine that kills itself at a chosen moment. Run as a program it is a server of such.

Each line of its input asks for one process: a map of home, step, point, number and blindly. It is
forked, because importing everything anew would take longer than what is tested, and
acts on the SQLite file and the objects below ``home`` until the step is complete or it is dead.
The answer is one line: how it ended, and how often it passed each point.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, event

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import NotFound
from hotplate.model import Action, Status
from hotplate.resources import Creation
from hotplate.resources.directory import Directory, File, Object
from hotplate.store.database import Database

POINTS = ("commit", "before", "within", "after")
"""After a commit; before, within and after a call of the provider that changes something."""

PATIENCE = 60
TEMPLATE = """
heat_template_version: wallaby
parameters:
  word: {type: string}
resources:
  changed:
    type: Hotplate::Directory::File
    properties: {content: {get_param: word}}
  replaced:
    type: Hotplate::Directory::File
    properties: {kind: {get_param: word}, content: {get_attr: [changed, size]}}
  changed_late:
    type: Hotplate::Directory::File
    properties: {content: {get_resource: replaced}}
"""
WORDS = {"create": "one", "update": "three"}


class FailPoint:
    """Counts how often each point is passed, and ends the process at one of them."""

    def __init__(self, point: str, number: int) -> None:
        self.counts: Counter[str] = Counter()
        self._end = (point, number)

    def pass_by(self, point: str) -> None:
        self.counts[point] += 1
        if (point, self.counts[point]) == self._end:
            os.kill(os.getpid(), signal.SIGKILL)


class WatchedDatabase(Database):
    """Passes a point after each commit of a transaction that changed a row."""

    def __init__(self, url: str, fail_point: FailPoint) -> None:
        super().__init__(url)
        changes = {"at_begin": 0, "committed": False}

        def total(connection: Connection) -> int:
            driver: Any = connection.connection.driver_connection
            return int(driver.total_changes)

        def begin(connection: Connection) -> None:
            changes["at_begin"] = total(connection)

        def commit(connection: Connection) -> None:
            changes["committed"] = total(connection) > changes["at_begin"]

        def checkin(*_: object) -> None:
            # The connection is handed back after the commit and before anybody hears of it.
            if changes["committed"]:
                changes["committed"] = False
                fail_point.pass_by("commit")

        event.listen(self.engine, "begin", begin)
        event.listen(self.engine, "commit", commit)
        event.listen(self.engine, "checkin", checkin)


class WatchedDirectory(Directory):
    """Passes points around each call that changes something, and notes what it created.

    As in a cloud, every call to create makes another object: doing it twice would be seen.
    """

    def __init__(self, home: Path, fail_point: FailPoint) -> None:
        super().__init__(home / "objects")
        self._log = home / "created"
        self._fail_point = fail_point

    @staticmethod
    def id_for(label: str, creation_token: str) -> str:
        return f"{label}-{token_hex(4)}-{creation_token}"

    def create(self, new: Object) -> None:
        self._fail_point.pass_by("before")
        super().create(new)
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{new.creation_token}\n")
        self._fail_point.pass_by("after")

    def replace(self, changed: Object) -> None:
        self._fail_point.pass_by("before")
        super().replace(changed)
        self._fail_point.pass_by("after")

    def delete(self, object_id: str, creation_token: str) -> bool:
        self._fail_point.pass_by("before")
        deleted = super().delete(object_id, creation_token)
        self._fail_point.pass_by("after")
        return deleted

    def _draft(self, item: Object) -> Path:
        draft = super()._draft(item)
        self._fail_point.pass_by("within")
        return draft


async def act(home: Path, step: str, fail_point: FailPoint) -> None:
    """Bring the stack through a step, from wherever an earlier process left it."""
    services = {"directory": WatchedDirectory(home, fail_point)}
    async with embedded(
        home / "engine.db", services, open_database=lambda url: WatchedDatabase(url, fail_point)
    ) as engine:
        stack_id = await _ask(engine, step)
        while stack_id is not None:
            stack = await engine.operations.stack(stack_id)
            if stack.status is not Status.IN_PROGRESS:
                assert stack.status is Status.COMPLETE, stack.reason
                return
            await asyncio.sleep(0.02)


async def _ask(engine: Embedded, step: str) -> str | None:
    """Ask for a step unless that has been accepted already; None if it is over."""
    operations = engine.operations
    try:
        stack = await operations.find("project", "stack")
    except NotFound:
        if step == "delete":
            return None
        return await operations.create("project", "stack", _recipe(step))
    if step == "update" and stack.action is Action.CREATE:
        await operations.update(stack.id, _recipe(step))
    if step == "delete" and stack.action is not Action.DELETE:
        await operations.delete(stack.id)
    return stack.id


def _recipe(step: str) -> Recipe:
    return Recipe(TEMPLATE, parameters={"word": WORDS[step]})


def _in_child(request: dict[str, Any]) -> int:
    signal.alarm(PATIENCE)
    fail_point = FailPoint(request["point"], request["number"])
    home = Path(request["home"])
    if request["blindly"]:
        File.creation = Creation.REPEATABLE
    asyncio.run(act(home, request["step"], fail_point))
    (home / "counts").write_text(json.dumps(fail_point.counts), encoding="utf-8")
    return 0


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = _in_child(request)
            except BaseException as error:  # the parent's stack below must not be unwound
                sys.excepthook(type(error), error, error.__traceback__)
            finally:
                os._exit(status)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        counts = Path(request["home"], "counts")
        answer = {
            "ended": ended,
            "seconds": time.monotonic() - began,
            "counts": json.loads(counts.read_text(encoding="utf-8")) if ended == 0 else {},
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve()
