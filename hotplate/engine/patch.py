"""A change to a recipe that says only what differs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hotplate.document import InvalidDocument, Problem, from_data, parse
from hotplate.engine.recipes import Recipe
from hotplate.environment import INLINE, merge
from hotplate.environment import parse as parse_environment


@dataclass(frozen=True, slots=True)
class Patch:
    """What a user sends of a recipe; the rest stays as it is.

    ``environment_files`` are appended to those the stack has; a name it has already keeps its
    place, and the content sent with it counts. ``cleared`` parameters fall back to what the
    environments and the template say.
    """

    template: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    environment: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cleared: tuple[str, ...] = ()


def patched(old: Recipe, patch: Patch) -> Recipe:
    """Return the recipe with the patch applied. Raises InvalidDocument."""
    files = {**old.files, **patch.files}
    for name in patch.environment_files:
        if name not in files:
            message = f'the environment file "{name}" was not given'
            raise InvalidDocument([Problem(message, hint="send it in the files", file=name)])
    added = [name for name in patch.environment_files if name not in old.environment_files]
    kept = {key: value for key, value in old.parameters.items() if key not in patch.cleared}
    return Recipe(
        template=old.template if patch.template is None else patch.template,
        files=files,
        environment_files=(*old.environment_files, *added),
        environment=_inline(old.environment, patch.environment, patch.cleared),
        parameters={**kept, **patch.parameters},
        kept=old.kept,
    )


def _inline(old: str, new: str, cleared: tuple[str, ...]) -> str:
    """Return one inline environment that says what both say, the new one last."""
    parts = [parse(text, INLINE) for text in (old, new) if text]
    if old and cleared and isinstance(parts[0].data, dict):
        data = dict(parts[0].data)
        given = data.get("parameters") or {}
        data["parameters"] = {key: v for key, v in given.items() if key not in cleared}
        parts[0] = from_data(data, INLINE)
    if not parts:
        return ""
    merged = merge([parse_environment(part) for part in parts]).data()
    return json.dumps({section: content for section, content in merged.items() if content})
