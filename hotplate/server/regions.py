"""The table of regions in the configuration: other servers that stacks may be made on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hotplate.resources.regions import PATIENCE, Region, RemoteClouds
from hotplate.server.refusal import nonsense

_SETTINGS: Mapping[str, tuple[type, str]] = {
    "url": (str, "a text"),
    "token_file": (str, "a text"),
    "credentials": (dict, "a table of file names"),
    "ca_file": (str, "a text"),
    "allow_insecure": (bool, "true or false"),
    "projects": (list, "a list of texts"),
    "patience": (int, "a whole number of seconds"),
}
_FOR_ALL = ("remote_auth_urls", "allow_insecure")
"""Settings of the table itself; all else in it are regions."""


def regions_of(file: Path, table: Any) -> dict[str, Region]:
    """Return the regions that a configuration names. Raises CannotStart."""
    if not isinstance(table, dict):
        raise nonsense(f"{file}: regions is a table; write [regions.NAME]")
    return {
        name: _region(file, f"regions.{name}", given)
        for name, given in table.items()
        if name not in _FOR_ALL
    }


def remote_clouds_of(file: Path, table: Mapping[str, Any]) -> RemoteClouds:
    """Return what a configuration says of servers that it does not name. Raises CannotStart."""
    urls, insecure = (table.get(name) for name in _FOR_ALL)
    if urls is not None and not (isinstance(urls, list) and all(map(_is_address, urls))):
        raise nonsense(
            f"{file}: regions.remote_auth_urls must be a list of Keystones, such as "
            '["https://keystone.example.org:5000/v3"]'
        )
    if insecure is not None and type(insecure) is not bool:
        raise nonsense(f"{file}: regions.allow_insecure must be true or false")
    return RemoteClouds(None if urls is None else tuple(urls), bool(insecure))


def _region(file: Path, place: str, given: Any) -> Region:
    if not isinstance(given, dict):
        others = f"; settings for all are {' and '.join(_FOR_ALL)}"
        raise nonsense(f"{file}: {place} is a table; write [{place}]{others}")
    for name, value in given.items():
        if name not in _SETTINGS:
            from hotplate.document import did_you_mean  # noqa: PLC0415  # seldom needed

            hint = did_you_mean(name, _SETTINGS) or f"known are {', '.join(_SETTINGS)}"
            raise nonsense(f"{file}: there is no setting {place}.{name}; {hint}")
        kind, description = _SETTINGS[name]
        inner = list(value.values()) if kind is dict and isinstance(value, dict) else value
        texts = not isinstance(inner, list) or all(isinstance(each, str) for each in inner)
        if type(value) is not kind or not texts:
            raise nonsense(f"{file}: {place}.{name} must be {description}")
    if given.get("patience", 0) < 0:
        raise nonsense(f"{file}: {place}.patience is below 0")
    return Region(
        url=_url(file, place, given.get("url", "")),
        token_file=_path(given.get("token_file")),
        credentials={
            name: Path(path).expanduser() for name, path in given.get("credentials", {}).items()
        },
        ca_file=_path(given.get("ca_file")),
        allow_insecure=given.get("allow_insecure", False),
        projects=tuple(given.get("projects", ())),
        patience=given.get("patience", PATIENCE),
    )


def _is_address(url: Any) -> bool:
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except (ValueError, AttributeError):
        return False
    return bool(fits) and not (parts.query or parts.fragment or parts.username is not None)


def _url(file: Path, place: str, url: str) -> str:
    if not _is_address(url):
        raise nonsense(
            f"{file}: {place}.url must be the address of a project on a server, such as "
            "https://heat.example.org:8004/v1/%(project_id)s"
        )
    return url


def _path(value: str | None) -> Path | None:
    return Path(value).expanduser() if value else None
