"""JSON in which everything stands in the line where the user wrote it.

Files are sent as JSON, with addresses in place of names. The server reads lines from what it is
sent; with this they are those of the user's own file.
"""

import json
from collections.abc import Iterator

from hotplate.document import Data, Document, Path

_LARGEST = 4 * 1024 * 1024
"""Characters of a file whose lines are worth finding."""


def lined_json(document: Document, data: Data) -> str:
    """Return the data, which has the shape of the document, as JSON with the document's lines."""
    if document.text is None or "\n" not in document.text or len(document.text) > _LARGEST:
        return json.dumps(data)
    return "".join(_Writer(document).write(data, ()))


class _Writer:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._line = 1

    def write(self, data: Data, path: Path) -> Iterator[str]:
        if isinstance(data, dict):
            yield "{"
            for number, (key, value) in enumerate(data.items()):
                yield from self._before(number, (*path, key))
                yield f"{json.dumps(key)}:"
                yield from self.write(value, (*path, key))
            yield "}"
        elif isinstance(data, list):
            yield "["
            for number, value in enumerate(data):
                yield from self._before(number, (*path, number))
                yield from self.write(value, (*path, number))
            yield "]"
        else:
            yield json.dumps(data)

    def _before(self, number: int, path: Path) -> Iterator[str]:
        yield "," if number else ""
        position = self._document.locate(path)
        # What came through an alias was written above; lines only go down.
        if position is not None and position.line > self._line:
            yield "\n" * (position.line - self._line)
            self._line = position.line
