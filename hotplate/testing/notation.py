"""Templates in a short notation: ``C(A, B) = ! att A``.

A line is a resource: its name, what it depends on, and its value. The value is a literal in
quotes, ``ref X`` (what get_resource gives) or ``att X`` (the value of X). After ``!`` a change of
the value replaces the object, otherwise it is made in place. ``A:repeatable()`` is a resource of
another kind than the findable ones.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_LINE = re.compile(
    r"""(?P<name>\w+)(?::(?P<kind>\w+))?
        \((?P<needs>[\w,\s]*)\)
        (?:\s*=\s*(?P<fixed>!)?\s*(?:"(?P<literal>[^"]*)"|(?P<how>ref|att)\s+(?P<other>\w+)))?""",
    re.VERBOSE,
)
KINDS = {
    "findable": "Test::Findable",
    "repeatable": "Test::Repeatable",
    "untraceable": "Test::Untraceable",
}


@dataclass(frozen=True, slots=True)
class Thing:
    """One resource. ``how`` is "ref" or "att" if the value comes from ``other``."""

    name: str
    needs: tuple[str, ...] = ()
    literal: str | None = None
    how: str = ""
    other: str = ""
    fixed: bool = False
    kind: str = "findable"

    def property(self) -> Any:
        """Return the value as HOT writes it."""
        if self.how == "ref":
            return {"get_resource": self.other}
        if self.how == "att":
            return {"get_attr": [self.other, "value"]}
        return self.literal

    def hot(self) -> dict[str, Any]:
        """Return the resource as HOT."""
        section: dict[str, Any] = {"type": KINDS[self.kind]}
        value = self.property()
        if value is not None:
            section["properties"] = {"fixed" if self.fixed else "value": value}
        if self.needs:
            section["depends_on"] = list(self.needs)
        return section

    def __str__(self) -> str:
        kind = "" if self.kind == "findable" else f":{self.kind}"
        text = f"{self.name}{kind}({', '.join(self.needs)})"
        if self.how:
            return f"{text} = {'! ' if self.fixed else ''}{self.how} {self.other}"
        if self.literal is not None:
            return f'{text} = {"! " if self.fixed else ""}"{self.literal}"'
        return text


@dataclass(frozen=True, slots=True)
class Plan:
    """A template of things. ``extra`` are further sections of the HOT text."""

    things: Mapping[str, Thing] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Names of things and of the conditions they depend on."""

    disabled: frozenset[str] = frozenset()
    """Things that the parameters given with this plan switch off."""

    def changed(self, text: str) -> "Plan":
        """Return the same with some resources added or written anew."""
        return replace(self, things={**self.things, **plan(text).things})

    def without(self, *names: str) -> "Plan":
        """Return the same without some resources."""
        return replace(self, things={k: v for k, v in self.things.items() if k not in names})

    def only(self, text: str) -> "Plan":
        """Return another list of resources with the same further sections."""
        return replace(self, things=plan(text).things)

    @property
    def enabled(self) -> dict[str, Thing]:
        """The things that shall exist."""
        return {k: v for k, v in self.things.items() if k not in self.disabled}

    def hot(self) -> str:
        """Return the template as HOT text."""
        resources = {name: thing.hot() for name, thing in self.things.items()}
        for name, condition in self.conditions.items():
            resources[name]["condition"] = condition
        whole = {"heat_template_version": "2021-04-16", "resources": resources, **self.extra}
        return json.dumps(whole)

    def values(self, ids: Mapping[str, str]) -> dict[str, Any]:
        """Return the value of each thing, given the physical ids of all."""
        values: dict[str, Any] = {}

        def value_of(name: str) -> Any:
            if name not in values:
                thing = self.things[name]
                if thing.how == "ref":
                    values[name] = ids.get(thing.other)
                elif thing.how == "att":
                    values[name] = value_of(thing.other)
                else:
                    values[name] = thing.literal
            return values[name]

        return {name: value_of(name) for name in self.enabled}

    def __str__(self) -> str:
        return "; ".join(str(thing) for thing in self.things.values())


def plan(text: str) -> Plan:
    """Return the template that the notation describes, one resource in a line."""
    things = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"not a resource: {line}")
        needs = tuple(filter(None, (part.strip() for part in match["needs"].split(","))))
        things[match["name"]] = Thing(
            name=match["name"],
            needs=needs,
            literal=match["literal"],
            how=match["how"] or "",
            other=match["other"] or "",
            fixed=bool(match["fixed"]),
            kind=match["kind"] or "findable",
        )
    return Plan(things)


NOTHING = Plan()
