import json
import logging
import sys

import pytest

from hotplate.server.logs import JsonLine, TextLine


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.makeLogRecord(
        {"name": "hotplate.api", "levelname": "INFO", "msg": message, **fields}
    )
    made.created, made.msecs = 86400.25, 250.0
    return made


def failed() -> logging.LogRecord:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        return record("unforeseen", exc_info=sys.exc_info())


def test_a_line_for_people_names_its_fields() -> None:
    line = TextLine().format(record("request", path="/v1/p", reason="it is", status=200))
    assert line == (
        '1970-01-02T00:00:00.250Z INFO hotplate.api: request path=/v1/p reason="it is" status=200'
    )


def test_a_line_for_programs_is_json() -> None:
    assert json.loads(JsonLine().format(record("request", status=200, level="mine"))) == {
        "at": "1970-01-02T00:00:00.250Z",
        "level": "INFO",
        "logger": "hotplate.api",
        "message": "request",
        "status": 200,
    }


@pytest.mark.parametrize("form", [TextLine(), JsonLine()])
def test_whatever_is_logged_is_one_line(form: logging.Formatter) -> None:
    assert "\n" not in form.format(record("forged\n1970 INFO", path="a\nb", other="c\rd\u2028"))
    line = form.format(failed())
    assert "\n" not in line
    assert "ValueError: two" in line
