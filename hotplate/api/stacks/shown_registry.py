"""The registry as answers show it: what was sent, and the files that act as types."""

from collections.abc import Iterator, Mapping
from typing import Any

from hotplate.environment.names import REGISTRY, RESOURCES, is_template_file
from hotplate.template import Template


def shown_registry(
    environment: Mapping[str, Any], template: Template, with_members: bool = False
) -> dict[str, Any]:
    """Return the section of a merged environment as Heat shows it.

    ``resources`` is always there, and a file that a resource of the template names as its type is
    an entry that stands for itself; ``with_members``, also one that it names as the type of its
    members. Heat learns of these when the stack is made, so that an answer to validate has none.
    """
    used = {definition.type for definition in template.resources.values()}
    if with_members:
        used.update(_member_types(template))
    files = {name: name for name in sorted(used) if is_template_file(name)}
    return {RESOURCES: {}, **environment[REGISTRY], **files}


def _member_types(template: Template) -> Iterator[str]:
    """Yield what the properties of resources name as a type, wherever it stands."""
    keywords = template.dialect.keywords
    data: Any = template.data
    waiting = [
        data[keywords.resources][name].get(keywords.properties) for name in template.resources
    ]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            type_name = current.get("type")
            if isinstance(type_name, str):
                yield type_name
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
