"""Log lines tell no secret that the task has in hand which writes them."""

import asyncio
import logging
from io import StringIO

from hotplate.secret import STARS, Secrets, note_secrets, noting_secrets, without_secrets
from hotplate.server.logs import JsonLine, TextLine


def test_what_was_noted_is_masked_and_forgotten_afterwards() -> None:
    with noting_secrets():
        note_secrets(lambda: Secrets(("hunter2",)))
        assert without_secrets("login hunter2") == f"login {STARS}"
    assert without_secrets("login hunter2") == "login hunter2"


def test_what_is_noted_outside_of_a_task_is_not_kept() -> None:
    note_secrets(lambda: Secrets(("hunter2",)))
    assert without_secrets("login hunter2") == "login hunter2"


def test_secrets_of_one_task_hide_nothing_in_the_lines_of_another() -> None:
    async def task(word: str) -> str:
        with noting_secrets():
            note_secrets(lambda: Secrets((word,)))
            await asyncio.sleep(0)
            return without_secrets("error and warning")

    async def both() -> list[str]:
        return list(await asyncio.gather(task("error"), task("warning")))

    assert asyncio.run(both()) == [f"{STARS} and warning", f"error and {STARS}"]


def test_what_a_thread_of_the_task_notes_counts() -> None:
    async def work() -> str:
        with noting_secrets():
            await asyncio.to_thread(note_secrets, lambda: Secrets(("hunter2",)))
            return without_secrets("hunter2")

    assert asyncio.run(work()) == STARS


def test_the_lines_of_a_server_are_masked_with_fields_and_tracebacks() -> None:
    stream = StringIO()
    log = logging.getLogger("test of secrets")
    handlers: list[logging.Handler] = [logging.StreamHandler(stream), logging.StreamHandler(stream)]
    handlers[0].setFormatter(JsonLine())
    handlers[1].setFormatter(TextLine())
    log.handlers = handlers
    with noting_secrets():
        note_secrets(lambda: Secrets(('hunt"er2',)))
        try:
            raise LookupError('no hunt"er2')
        except LookupError:
            log.exception('refused: hunt"er2', extra={"given": 'hunt"er2'})
    assert stream.getvalue().count(STARS) >= 6
    assert "er2" not in stream.getvalue()
