"""Templates in a short notation: ``C(A, B) = ! att A``.

A line is a resource: its name, what it depends on, and its value. The value is a literal in
quotes, ``ref X`` (what get_resource gives) or ``att X`` (the value of X). After ``!`` a change of
the value replaces the object, otherwise it is made in place. ``A:repeatable()`` is a resource of
another kind than the findable ones. ``A@object-1()`` is an external object.
``A[3]()`` is a group of three, each with its number at the end of its value; ``A[1-3]()`` one whose
size policies change between bounds, all with one value: ``P:policy() = "+1" of A``.
``W:condition() = "2" of H`` waits for two signals to ``H:handle()``. `Plan.holding` puts a template
of its own into a resource or into each member of a group; there ``param`` is the value that the
resource was given from outside.
"""

import itertools
import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_LINE = re.compile(
    r"""(?P<name>\w+)(?:\[(?P<count>\d+)(?:-(?P<most>\d+))?\])?(?::(?P<kind>\w+))?
        (?:@(?P<external>[\w-]+))?
        \((?P<needs>[\w,\s]*)\)
        (?:\s*=\s*(?P<fixed>!)?\s*(?:"(?P<literal>[^"]*)"(?:\s+of\s+(?P<told>\w+))?|(?P<param>param)
            |(?P<how>ref|att)\s+(?P<other>\w+)))?""",
    re.VERBOSE,
)
KINDS = {
    "findable": "Test::Findable",
    "repeatable": "Test::Repeatable",
    "untraceable": "Test::Untraceable",
    "instant": "Test::Instant",
    "told": "Test::Told",
    "restless": "Test::Restless",
    "elsewhere": "Test::Elsewhere",
    "retried": "Test::Retried",
    "waiting": "Test::Waiting",
    "exclusive": "Test::Exclusive",
    "attached": "Test::Attached",
    "policy": "OS::Heat::ScalingPolicy",
    "handle": "OS::Heat::WaitConditionHandle",
    "condition": "OS::Heat::WaitCondition",
}
WITHOUT_OBJECTS = ("policy", "handle", "condition")
"""Kinds that are rows in the database and nothing else."""


GROUP = "OS::Heat::ResourceGroup"
SCALED_GROUP = "OS::Heat::AutoScalingGroup"
LONGEST_WAIT = 150
"""Seconds that a condition waits for its signals."""

PAUSE = 20
"""Seconds between two batches of a group."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One resource.

    ``how`` is "ref" or "att" if the value comes from ``other``, "param" if it is given from
    outside and the literal only its end. With a ``count`` it is a group of so many; with an
    ``inside`` it, or each member of the group, is a stack made from that. A group with a ``batch``
    makes and changes so many members at once, with pauses, and an update takes out those of its
    members that are in ``removed``. With ``sizes`` it is a group whose size is between these two,
    with an ``external`` id an external object.
    """

    name: str
    needs: tuple[str, ...] = ()
    literal: str | None = None
    how: str = ""
    other: str = ""
    fixed: bool = False
    kind: str = "findable"
    count: int | None = None
    inside: "Plan | None" = None
    batch: int = 0
    removed: tuple[str, ...] = ()
    sizes: tuple[int, int] | None = None
    external: str | None = None

    @property
    def is_stack(self) -> bool:
        """Whether the resource is a stack of its own."""
        return self.count is not None or self.inside is not None or self.sizes is not None

    def child(self, gone: Container[str] = (), more: int = 0) -> "Plan":
        """Return the plan of the stack that the resource is.

        ``gone`` are names that a group does not use any more; ``more``: it may have so many more
        members for a while.
        """
        if self.sizes is not None:
            has_value = self.literal is not None or bool(self.how)
            how = "param" if has_value else ""
            member = Thing("", how=how, fixed=self.fixed, kind=self.kind, inside=self.inside)
            return Plan(every=member)
        if self.count is None:
            return self.inside or Plan()
        members = {}
        names = (str(index) for index in itertools.count() if str(index) not in gone)
        for index in itertools.islice(names, self.count + more):
            # The value is known outside only: the member is given it with its number.
            suffix = None if self.literal is None and not self.how else f"-{index}"
            members[index] = Thing(
                index, literal=suffix, how="param" if suffix else "", fixed=self.fixed,
                kind=self.kind, inside=self.inside,
            )  # fmt: skip
        return Plan(members, is_stage=bool(more))

    def property(self, groups: Container[str] = ()) -> Any:
        """Return the value as HOT writes it; that of a group is the values of its members."""
        if self.how == "ref":
            return {"get_resource": self.other}
        if self.how == "att":
            return value_of(self.other, groups)
        if self.how == "param":
            return {"get_param": "value"}
        return self.literal

    def hot(self, groups: Container[str] = (), prefix: str = "") -> dict[str, Any]:
        """Return the resource as HOT."""
        if self.kind in WITHOUT_OBJECTS:
            return self._without_object()
        section: dict[str, Any] = {
            "type": KINDS[self.kind] if self.inside is None else f"{prefix}{self.name}.yaml"
        }
        value = self.property(groups)
        variable = "%i%" if self.fixed else "%index%"
        if value is not None and self.count is not None:
            value = {"list_join": ["-", [value, variable]]}
        if value is not None:
            section["properties"] = {
                "fixed" if self.fixed and self.inside is None else "value": value
            }
        if self.count is not None:
            properties = {"count": self.count, "index_var": variable, "resource_def": section}
            if self.removed:
                properties["removal_policies"] = [{"resource_list": list(self.removed)}]
            section = {"type": GROUP, "properties": properties}
        if self.sizes is not None:
            properties = {"min_size": self.sizes[0], "max_size": self.sizes[1], "resource": section}
            if self.batch:
                rolling = {"max_batch_size": self.batch, "pause_time": PAUSE, "min_in_service": 1}
                properties["rolling_updates"] = rolling
            section = {"type": SCALED_GROUP, "properties": properties}
        elif self.batch:
            pace = {"max_batch_size": self.batch, "pause_time": PAUSE}
            rolling = {**pace, "min_in_service": 1}
            section["update_policy"] = {"batch_create": pace, "rolling_update": rolling}
        if self.external is not None:
            section["external_id"] = self.external
        if self.needs:
            section["depends_on"] = list(self.needs)
        return section

    def _without_object(self) -> dict[str, Any]:
        section: dict[str, Any] = {"type": KINDS[self.kind]}
        told = {"get_resource": self.other}
        if self.kind == "policy":
            section["properties"] = {
                "auto_scaling_group_id": told,
                "adjustment_type": "change_in_capacity",
                "scaling_adjustment": int(self.literal or 1),
            }
        elif self.kind == "condition":
            count = int(self.literal or 1)
            section["properties"] = {"handle": told, "timeout": LONGEST_WAIT, "count": count}
        if self.needs:
            section["depends_on"] = list(self.needs)
        return section

    def __str__(self) -> str:
        count = "" if self.count is None else f"[{self.count}]"
        if self.sizes is not None:
            count = f"[{self.sizes[0]}-{self.sizes[1]}]"
        if self.batch or self.removed:
            count += f"<{self.batch} at once, without {', '.join(self.removed) or 'none'}>"
        kind = "" if self.kind == "findable" else f":{self.kind}"
        kind += "" if self.external is None else f"@{self.external}"
        text = f"{self.name}{count}{kind}({', '.join(self.needs)})"
        if self.how:
            text = f"{text} = {'! ' if self.fixed else ''}{self.how} {self.other}".rstrip()
        elif self.kind in WITHOUT_OBJECTS and self.other:
            text = f'{text} = "{self.literal or ""}" of {self.other}'
        elif self.literal is not None:
            text = f'{text} = {"! " if self.fixed else ""}"{self.literal}"'
        return text if self.inside is None else f"{text} {{{self.inside}}}"


def value_of(name: str, groups: Container[str]) -> Any:
    """Return the value of a resource as HOT asks for it."""
    asked = {"get_attr": [name, "value"]}
    return {"list_join": [",", asked]} if name in groups else asked


@dataclass(frozen=True, slots=True)
class Plan:
    """A template of things. ``extra`` are further sections of the HOT text."""

    things: Mapping[str, Thing] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Names of things and of the conditions they depend on."""

    disabled: frozenset[str] = frozenset()
    """Things that the parameters given with this plan switch off."""

    is_stage: bool = False
    """Not all of it need be there yet."""

    every: Thing | None = None
    """What each thing is, where their number and their names are decided elsewhere."""

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

    def named(self, names: Iterable[str]) -> "Plan":
        """Return the plan with things of these names, if only it is known what each of them is."""
        if self.every is None:
            return self
        return Plan({name: replace(self.every, name=name) for name in names})

    def holding(self, name: str, inside: "Plan") -> "Plan":
        """Return the same with a template of its own in a resource."""
        thing = replace(self.things[name], inside=inside)
        return replace(self, things={**self.things, name: thing})

    @property
    def output(self) -> str:
        """The name of the thing whose value is that of the stack, empty if there is none."""
        return next(reversed(self.enabled), "")

    def hot(self, prefix: str = "") -> str:
        """Return the template as HOT text; ``prefix`` leads to the files of what is inside."""
        groups = {name for name, thing in self.things.items() if thing.count is not None}
        resources = {name: thing.hot(groups, prefix) for name, thing in self.things.items()}
        for name, condition in self.conditions.items():
            resources[name]["condition"] = condition
        whole = {"heat_template_version": "2021-04-16", "resources": resources, **self.extra}
        if prefix:
            value = value_of(self.output, groups) if self.output else ""
            whole["parameters"] = {"value": {"type": "string", "default": ""}}
            whole["outputs"] = {"value": {"value": value}}
        return json.dumps(whole)

    def files(self, prefix: str = "") -> dict[str, str]:
        """Return the templates of what is inside, by the names under which `hot` uses them."""
        files: dict[str, str] = {}
        for name, thing in self.things.items():
            if thing.inside is not None:
                path = f"{prefix}{name}."
                files[f"{path}yaml"] = thing.inside.hot(path)
                files |= thing.inside.files(path)
        return files

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
            how=match["how"] or match["param"] or "",
            other=match["other"] or match["told"] or "",
            fixed=bool(match["fixed"]),
            kind=match["kind"] or "findable",
            count=int(match["count"]) if match["count"] and not match["most"] else None,
            sizes=(int(match["count"]), int(match["most"])) if match["most"] else None,
            external=match["external"],
        )
    return Plan(things)


NOTHING = Plan()
