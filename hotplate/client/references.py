"""Where templates and environments name other files, and how the names become addresses."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from hotplate.document import Data, Path

_TEMPLATE_SUFFIXES = (".yaml", ".template")
_SETTINGS = ("hooks", "restricted_actions", "base_url")


def references_of_template(data: Data, base: str) -> Iterator[tuple[Path, str, str]]:
    """Yield path, text and address of every file that a template names.

    These are the values of ``get_file``, and of ``type`` where it is a template, wherever they
    stand: the rule of python-heatclient. ``base`` is the address of the template's folder.
    Recurses as deep as the document does.
    """
    if isinstance(data, dict):
        for key, value in data.items():
            if isinstance(value, str):
                if key == "get_file" or (key == "type" and value.endswith(_TEMPLATE_SUFFIXES)):
                    yield (key,), value, _joined(base, value)
            else:
                yield from _below(key, value, base)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _below(index, item, base)


def _below(step: str | int, data: Data, base: str) -> Iterator[tuple[Path, str, str]]:
    for path, text, url in references_of_template(data, base):
        yield (step, *path), text, url


def references_of_environment(data: Data, base: str) -> Iterator[tuple[Path, str, str]]:
    """Yield path, text and address of every file that the registry of an environment names.

    Every text without ``::`` names a file: the rule of python-heatclient, which however reads
    the first level of ``resources`` only.
    """
    registry = data.get("resource_registry") if isinstance(data, dict) else None
    if isinstance(registry, dict):
        base = _base(registry, base)
        yield from _entries(registry, base, ("resource_registry",))
        resources = registry.get("resources")
        if isinstance(resources, dict):
            yield from _nested_entries(resources, base, ("resource_registry", "resources"))


def _entries(level: Mapping[str, Any], base: str, path: Path) -> Iterator[tuple[Path, str, str]]:
    for key, value in level.items():
        if isinstance(value, str) and value and "::" not in value and key not in _SETTINGS:
            yield (*path, key), value, _joined(base, value)


def _nested_entries(
    resources: Mapping[str, Any], base: str, path: Path
) -> Iterator[tuple[Path, str, str]]:
    for name, resource in resources.items():
        if isinstance(resource, dict):
            inner = _base(resource, base)
            yield from _entries(resource, inner, (*path, name))
            yield from _nested_entries(resource, inner, (*path, name))


def _base(level: Mapping[str, Any], base: str) -> str:
    stated = level.get("base_url")
    return _joined(base, stated) if isinstance(stated, str) and stated else base


def _joined(base: str, name: str) -> str:
    return urljoin(base if base.endswith("/") else base + "/", name)


def folder_of(url: str) -> str:
    """Return the address of the folder that a file is in."""
    return urljoin(url, posixpath.dirname(urlsplit(url).path))


def replaced(data: Data, addresses: Mapping[Path, str]) -> Data:
    """Return the data with the values at the given paths replaced. Unchanged parts are shared."""
    if not addresses:
        return data
    if () in addresses:
        return addresses[()]
    below: dict[str | int, dict[Path, str]] = {}
    for path, url in addresses.items():
        below.setdefault(path[0], {})[path[1:]] = url
    if isinstance(data, dict):
        return {key: replaced(value, below.get(key, {})) for key, value in data.items()}
    if isinstance(data, list):
        return [replaced(item, below.get(index, {})) for index, item in enumerate(data)]
    return data
