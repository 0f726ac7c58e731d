"""What a stack is made of, as it was sent or, for a nested stack, as its resource says."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hotplate.document.repeated import is_repeated, written
from hotplate.environment.identity import ListedFile, listed_files

_EMPTY_TEMPLATE = json.dumps({"heat_template_version": "2021-04-16"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """A template with its environments, files and parameters, as the user sent them.

    ``environment_files`` are names of files, in order; ``environment`` is text of what was given
    inline and applies after them; ``parameters`` win over all. ``kept`` is what a snapshot kept of
    resources that are restored, by name: their ``data``, and the ``resources`` in it. ``asked``
    are the attributes that the stack around this one asks of its members, by their names; those
    under ``*`` of all members.
    """

    template: str = field(repr=False)
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    environment_files: tuple[str, ...] = ()
    environment: str = field(default="", repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)
    kept: Mapping[str, Any] = field(default_factory=dict, repr=False)
    asked: Mapping[str, list[list[Any]]] = field(default_factory=dict)
    facade: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Of the resource that the stack is: metadata and policies, where its template asks for them.

    Only there: otherwise all members of a group, whatever their metadata, share one recipe.
    """

    environment_names: Mapping[str, str] = field(default_factory=dict)
    """What clients call environment files, for those whose clients said it."""

    dropped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Parameters to which an environment file gives values that do not count any more, by file."""

    template_name: str = ""
    """What the client calls the template, if it said so; nested stacks have none."""

    adopted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """What a large stack takes over when it is adopted, by the names of its resources."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secrets that the stack around this one hands to it: what has one in it is secret here."""

    is_repeated: bool = False
    """Whether the text of the template is one that we write ourselves, see `document.repeated`."""

    def with_template(self, data: Mapping[str, Any]) -> "Recipe":
        """Return the same with a template that a resource type has made."""
        text = written(data)
        return replace(self, template=text, is_repeated=is_repeated(text))

    @property
    def size(self) -> int:
        """How many characters its texts have."""
        return len(self.template) + len(self.environment) + sum(map(len, self.files.values()))

    @property
    def root_name(self) -> str:
        """What the template is called where something is said about it."""
        return self.template_name or "template"

    @property
    def listed(self) -> dict[str, ListedFile]:
        """The environment files, each with the name that it is known by."""
        return listed_files(self.environment_files, self.environment_names)


RARE: Final = (
    "kept", "asked", "facade", "environment_names", "dropped", "template_name", "adopted",
    "is_repeated",
)  # fmt: skip
"""What few recipes have, besides secrets: stored where there is something."""

EMPTY = Recipe(_EMPTY_TEMPLATE)
"""What a stack without anything is made of."""
