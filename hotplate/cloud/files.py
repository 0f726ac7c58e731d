"""clouds.yaml, secure.yaml and clouds-public.yaml: where they are, and what they say together."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from hotplate.cloud.errors import BadConfiguration
from hotplate.document import did_you_mean

_ENDINGS: Final = ("yaml", "yml", "json")


@dataclass(frozen=True, slots=True)
class CloudFiles:
    """What the files say. ``places`` are the paths where clouds.yaml may be."""

    clouds: Mapping[str, Mapping[str, Any]]
    vendors: Mapping[str, Mapping[str, Any]]
    places: tuple[str, ...]

    def cloud(self, name: str) -> dict[str, Any]:
        """Return what is said of a cloud, its vendor's part included. Raises BadConfiguration."""
        if name not in self.clouds:
            hint = did_you_mean(name, self.clouds) or f"it may be in {', '.join(self.places)}"
            raise BadConfiguration(f'there is no cloud "{name}" in clouds.yaml; {hint}')
        said = dict(self.clouds[name])
        vendor = said.pop("profile", None) or said.pop("cloud", None)
        return _merged(self._vendor(str(vendor)), said) if vendor else said

    def _vendor(self, name: str) -> Mapping[str, Any]:
        if name in self.vendors:
            return self.vendors[name]
        try:
            from openstack.config import vendors  # noqa: PLC0415 (slow, and seldom needed)
        except ModuleNotFoundError:
            raise BadConfiguration(
                f'there is no profile "{name}" in clouds-public.yaml; those that openstacksdk '
                "knows need hotplate[openstack]"
            ) from None
        found = vendors.get_profile(name)
        if not found:
            raise BadConfiguration(f'there is no profile "{name}" in clouds-public.yaml')
        return dict(found)


def clouds_in_files(environ: Mapping[str, str], folder: Path) -> CloudFiles:
    """Read the files. The first clouds.yaml that exists counts, and so for the others.

    Raises BadConfiguration.
    """
    folders = _folders(environ, folder)
    wanted = _paths(environ.get("OS_CLIENT_CONFIG_FILE"), folders, "clouds")
    secrets = _paths(environ.get("OS_CLIENT_SECURE_FILE"), folders, "secure")
    clouds = _merged(_section(_first(wanted), "clouds"), _section(_first(secrets), "clouds"))
    vendors = _section(_first(_paths(None, folders, "clouds-public")), "public-clouds")
    return CloudFiles(clouds, vendors, tuple(map(str, wanted)))


def _folders(environ: Mapping[str, str], folder: Path) -> list[Path]:
    home = Path(environ.get("HOME") or Path.home())
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [folder, config / "openstack", Path("/etc/openstack")]


def _paths(chosen: str | None, folders: list[Path], name: str) -> list[Path]:
    usual = [folder / f"{name}.{ending}" for folder in folders for ending in _ENDINGS]
    return [Path(chosen), *usual] if chosen else usual


def _first(paths: list[Path]) -> Any:
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except (OSError, ValueError) as error:
            raise BadConfiguration(f"{path} cannot be read: {error}") from None
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            words = " ".join(str(error).split())
            raise BadConfiguration(f"{path} cannot be read: {words}") from None
    return None


def _section(document: Any, name: str) -> dict[str, dict[str, Any]]:
    found = document.get(name) if isinstance(document, Mapping) else None
    clouds = found if isinstance(found, Mapping) else {}
    return {str(name): dict(said) for name, said in clouds.items() if isinstance(said, Mapping)}


def _merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return both; what is in both is taken from the second, map by map."""
    found = dict(base)
    for name, value in more.items():
        under = found.get(name)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            found[name] = _merged(under, value)
        else:
            found[name] = value
    return found
