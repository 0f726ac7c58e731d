"""Logs: one line for each record, with fields, to the standard error.

Secrets that the task has in hand which logs are stars there.
"""

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

from hotplate.secret import without_secrets

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_OF_OTHERS = frozenset(("color_message",))
_QUIET = ("uvicorn", "uvicorn.error", "alembic", "sqlalchemy")
_MADE_BY_CLIENTS = ("uvicorn.error", "asyncio")
"""Loggers of which whoever reaches the port can get a line with every connection."""

_BETWEEN = 10.0
_MOST = 5


def set_up_logs(form: str, level: str, stream: TextIO | None = None) -> None:
    """Send all records of at least this level to the stream, one line each."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLine() if form == "json" else TextLine())
    root = logging.getLogger()
    for present in root.handlers[:]:
        root.removeHandler(present)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _MADE_BY_CLIENTS:
        logger = logging.getLogger(name)
        for each in [each for each in logger.filters if isinstance(each, Seldom)]:
            logger.removeFilter(each)
        logger.addFilter(Seldom())


class Seldom(logging.Filter):
    """Lets the same message of a logger through a few times in some seconds, and no more.

    The next one that passes says in ``left_out`` how many did not.
    """

    def __init__(self, most: int = _MOST, between: float = _BETWEEN) -> None:
        super().__init__()
        self._most, self._between = most, between
        self._seen: dict[tuple[str, object], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        now = time.monotonic()
        # The first word of what asyncio reports; addresses and objects stand behind it.
        key = (record.name, str(record.msg)[:40])
        since, count = self._seen.get(key, (now, 0))
        if now - since > self._between:
            if count > self._most:
                record.left_out = count - self._most
            since, count = now, 0
        if len(self._seen) > 100:
            self._seen.clear()
        self._seen[key] = (since, count + 1)
        return count < self._most


class TextLine(logging.Formatter):
    """``time LEVEL logger: message field=value``, for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        words = [_at(record), record.levelname, f"{record.name}:", _one_line(record.getMessage())]
        words += [f"{name}={_shown(value)}" for name, value in fields_of(record).items()]
        if error := _error(self, record):
            words.append(f"error={json.dumps(error)}")
        return without_secrets(" ".join(words))


class JsonLine(logging.Formatter):
    """A JSON object, for programs: at, level, logger, message, the fields, and error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        document: dict[str, Any] = {
            **fields_of(record),
            "at": _at(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if error := _error(self, record):
            document["error"] = error
        return without_secrets(json.dumps(document, default=str))


def fields_of(record: logging.LogRecord) -> Mapping[str, Any]:
    """Return what was logged with a record besides its message."""
    return {
        name: value
        for name, value in vars(record).items()
        if name not in _OWN and name not in _OF_OTHERS
    }


def _at(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03d}Z"


def _error(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return formatter.formatException(record.exc_info) if record.exc_info else ""


def _one_line(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)[1:-1]


def _shown(value: Any) -> str:
    text = str(value)
    plain = text.isprintable() and text and not any(sign in text for sign in ' "=')
    return text if plain else json.dumps(text)
