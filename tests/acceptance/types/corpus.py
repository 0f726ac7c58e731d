"""Templates that other people wrote, with all that is needed to make stacks of them here."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotplate.document import parse
from hotplate.engine.recipes import Recipe
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.openstack.cloud_type import CloudType
from hotplate.template import ParameterType, Template, compile_template
from hotplate.template.constraint import AllowedValues, Length, Range
from hotplate.template.parameter import Parameter
from hotplate.template.value import BadValue

_VERSIONS = ("heat_template_version", "AWSTemplateFormatVersion", "HeatTemplateFormatVersion")
_TYPE = re.compile(r"[A-Z]\w*(::\w+)+")
_FILE = re.compile(r"\S+\.(yaml|template)")
_INSTANCE = "AWS::EC2::Instance"
# One of these fits every pattern that occurs.
_TEXTS = (
    "admin",
    "other",
    "Admin12",
    "Other12",
    "10.0.0.4",
    "10.0.0.5",
    "10.0.0.0/24",
    "10.1.0.0/24",
    "m1.small",
    "m1.large",
    "10",
    "20",
    "x" * 32,
    "y" * 32,
)
_VALUES: dict[ParameterType, tuple[Any, ...]] = {
    ParameterType.NUMBER: (1, 2, 3, 10, 80, 1024),
    ParameterType.BOOLEAN: (True, False),
    ParameterType.JSON: ({}, {"key": "value"}),
    ParameterType.LIST: (["4", "5"], ["6", "7"]),
}


def corpus_files() -> list[Path]:
    """Return the templates and environments in the folder that HOTPLATE_CORPUS names."""
    folder = os.environ.get("HOTPLATE_CORPUS")
    if not folder:
        return []
    suffixes = (".yaml", ".template")
    return sorted(path for path in Path(folder).rglob("*") if path.suffix in suffixes)


def is_template(path: Path) -> bool:
    """Tell whether a file is a template; if not, it is an environment."""
    data = parse(path.read_text(), path.name).data
    return isinstance(data, dict) and any(version in data for version in _VERSIONS)


@dataclass(slots=True)
class Sample:
    """A template with files for the names in it, and a registry for the types that need a cloud."""

    path: Path
    catalogue: Catalogue
    files: dict[str, str] = field(default_factory=dict)
    registry: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.gather(self.template, self.path.parent)

    @property
    def text(self) -> str:
        """The template as it was written."""
        return self.path.read_text()

    @property
    def template(self) -> Template:
        """The template, compiled."""
        return compile_template(parse(self.text, self.path.name))

    def values(self) -> dict[str, Any]:
        """Return a value for each parameter that has no default."""
        parameters = self.template.parameters.values()
        return {each.name: next(fitting(each)) for each in parameters if each.required}

    def changes(self) -> Iterator[dict[str, Any]]:
        """Yield other values for one parameter after the other."""
        given = self.values()
        for each in self.template.parameters.values():
            if each.immutable:
                continue
            present = each.value_of(given.get(each.name, each.default))
            # Other lists might be too short for whoever takes an item of them.
            turned = [present[::-1]] if isinstance(present, list) else []
            for value in (*turned, *fitting(each)):
                if each.value_of(value) != present:
                    yield {**given, each.name: value}
                    break

    def recipe(self, values: dict[str, Any]) -> Recipe:
        """Return what a stack is made of with these values of parameters."""
        environment = json.dumps({"resource_registry": self.registry})
        return Recipe(self.text, self.files, environment=environment, parameters=values)

    def gather(self, template: Template, folder: Path) -> None:
        """Find the files that are named, and types that cannot be made here, inside groups too."""
        data: Any = template.data
        # Groups of instances make these, and no template names them.
        self.registry[_INSTANCE] = "OS::Heat::None"
        if "region_name" in json.dumps(data):
            self.registry["OS::Heat::Stack"] = "OS::Heat::None"  # it is made by another server
        for address in _named(data, "TemplateURL"):
            self._take(address, folder / address.rpartition("/")[2])
        for name in _named(data, "get_file"):
            self.files.setdefault(name, f"what is in {name}\n")
        for name in {*_named(data, "type"), *_named(data, "Type")}:
            if _FILE.fullmatch(name):
                if (folder / name).exists():
                    self._take(name, folder / name)
                else:
                    self.registry[name] = "OS::Heat::None"
            elif _TYPE.fullmatch(name) and not self._can_be_made(name):
                self.registry[name] = "OS::Heat::None"

    def _can_be_made(self, name: str) -> bool:
        """Tell whether there is such a type, and it needs no cloud."""
        return name in self.catalogue and not isinstance(self.catalogue.get(name), CloudType)

    def _take(self, name: str, file: Path) -> None:
        """Send a template that is inside, with all that it needs itself."""
        if name not in self.files:
            self.files[name] = file.read_text()
            self.gather(compile_template(parse(self.files[name], file.name)), file.parent)


def recipe_of_environment(path: Path, catalogue: Catalogue) -> Recipe:
    """Return what a stack is made of that has a resource of each type an environment maps."""
    data: Any = parse(path.read_text(), path.name).data
    template = {
        "heat_template_version": "2021-04-16",
        "parameters": {name: {"type": "string"} for name in data.get("parameters", {})},
        "resources": {
            f"resource_{at}": {"type": name} for at, name in enumerate(data["resource_registry"])
        },
    }
    files: dict[str, str] = {}
    for name in data["resource_registry"].values():
        found = path.parent / name
        if found.exists():
            sample = Sample(found, catalogue)
            files |= {name: sample.text, **sample.files}
    return Recipe(json.dumps(template), files, environment=path.read_text())


def fitting(parameter: Parameter) -> Iterator[Any]:
    """Yield values that the constraints of a parameter allow."""
    for value in _candidates(parameter):
        try:
            parameter.value_of(value)
        except BadValue:
            continue
        yield value


def _candidates(parameter: Parameter) -> Iterable[Any]:
    for constraint in parameter.constraints:
        if isinstance(constraint, AllowedValues):
            yield from constraint.allowed
    yield from _VALUES.get(parameter.type, _TEXTS)
    for constraint in parameter.constraints:
        if isinstance(constraint, Range):
            yield from (each for each in (constraint.least, constraint.most) if each is not None)
        if isinstance(constraint, Length):
            yield "x" * int(constraint.least or constraint.most or 1)


def _named(data: Any, key: str) -> Iterator[str]:
    """Yield the texts under a key, wherever it occurs."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == key and isinstance(value, str):
                yield value
            yield from _named(value, key)
    elif isinstance(data, list):
        for item in data:
            yield from _named(item, key)
