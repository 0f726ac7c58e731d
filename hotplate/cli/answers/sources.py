"""Places in the user's files that the API speaks of."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.client import path_of
from hotplate.environment import EXPLICIT

_TEMPLATE = "template"
"""What the API calls the file that came without a name."""

_MOST = 3
"""Places shown of one value."""


@dataclass(frozen=True, slots=True)
class Source:
    """A place. ``kind`` is what stands there, ``name`` what it is called."""

    kind: str
    name: str
    file: str
    line: int | None
    path: str = ""

    @property
    def place(self) -> str:
        """The file and line as people write them."""
        if not self.line:
            return self.file
        return f"{self.file}, line {self.line}" if " " in self.file else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        if self.kind == "parameter":
            return f"--parameter {self.name}"
        words = {
            "environment": f"{self.name} in {self.place}",
            "default": f"the default of {self.name}, {self.place}",
            "resource": f"the resource {self.name}, {self.place}",
            "file": f"the file {shown_file(self.name)}, {self.place}",
        }
        return words.get(self.kind, self.place)


def sources_of(documents: Iterable[Mapping[str, Any]], template: str = "") -> tuple[Source, ...]:
    """Return the places that the API names; ``template`` is what the user calls the template."""
    return tuple(
        Source(
            kind=str(each.get("kind", "")),
            name=str(each.get("name") or ""),
            file=shown_file(str(each.get("file") or ""), template),
            line=each.get("line"),
            path=str(each.get("path") or ""),
        )
        for each in documents
    )


def roots_of(sources: Iterable[Source], value: Any, given: Mapping[str, Any]) -> list[str]:
    """Return the places where a value was decided: parameters, files and resources if there are.

    Of several parameters, those that have just this value; ``given`` are the values by name.
    Without any of them, it is written in a template; the last such place is the outermost.
    """
    found = list(sources)
    outside_templates = [each for each in found if each.kind != "template"]
    fitting = [each for each in outside_templates if str(given.get(each.name, ...)) == str(value)]
    return [str(each) for each in (fitting or outside_templates)[:_MOST]] or [
        str(each) for each in found[-1:]
    ]


def shown_file(name: str, template: str = "") -> str:
    """Return a file as the user would name it here."""
    if name == _TEMPLATE:
        return template or "the template"
    if name == EXPLICIT:
        return "--parameter"
    if not name.startswith("file:"):
        return name
    path = path_of(name)
    near = os.path.relpath(path)
    return path if near.startswith("../..") else near
