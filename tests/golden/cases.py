"""The golden cases, each for one template version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.golden.heat import Json, Trouble

CASE_KEYS = frozenset(
    [
        "name",
        "versions",
        "parameters",
        "values",
        "conditions",
        "mappings",
        "resources",
        "files",
        "expression",
    ]
)


@dataclass(frozen=True)
class Job:
    """One case for one template version."""

    file: str
    name: str
    version: str
    case: Mapping[str, Json] = field(hash=False, compare=False)

    def section(self, name: str) -> dict[str, Json]:
        """A section of the case, empty when it is not given."""
        return dict(self.case.get(name) or {})

    @property
    def alone(self) -> bool:
        """Whether the case declares a pseudo parameter, which others may read."""
        return any("::" in name for name in self.section("parameters"))

    @property
    def hot(self) -> bool:
        """Whether the version belongs to the HOT family."""
        return is_hot(self.version)


def is_hot(version: str) -> bool:
    """Whether the version belongs to the HOT family."""
    return not version.startswith(("cfn-", "heat-"))


def load_cases(files: Sequence[Path]) -> list[Job]:
    """Read the case files; a malformed case stops the recording."""
    jobs: list[Job] = []
    for path in files:
        seen: set[str] = set()
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
            unknown = set(raw) - CASE_KEYS
            if unknown or not {"name", "versions", "expression"} <= set(raw):
                raise Trouble(f"{path.name}: {raw.get('name')}: bad keys {sorted(unknown)}")
            if raw["name"] in seen:
                raise Trouble(f"{path.name}: {raw['name']} occurs twice")
            seen.add(raw["name"])
            require_text_keys(raw, f"{path.name}: {raw['name']}")
            jobs.extend(Job(path.stem, raw["name"], version, raw) for version in raw["versions"])
    return jobs


def require_text_keys(value: Json, where: str) -> None:
    """JSON knows only text keys: refuse others, which it would change silently."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise Trouble(f"{where}: the key {key!r} is not text")
            require_text_keys(item, where)
    elif isinstance(value, list):
        for item in value:
            require_text_keys(item, where)
    elif not isinstance(value, (str, int, float, type(None))):
        raise Trouble(f"{where}: {value!r} cannot be written as JSON")


def version_keys(version: str) -> tuple[str, str]:
    """Key and value which state the version in a template."""
    if version.startswith("cfn-"):
        return "AWSTemplateFormatVersion", version.removeprefix("cfn-")
    if version.startswith("heat-"):
        return "HeatTemplateFormatVersion", version.removeprefix("heat-")
    return "heat_template_version", version
