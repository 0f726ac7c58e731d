"""Templates to begin with, ways to spoil them, and what must hold of them afterwards."""

# ruff: noqa: PT017 (no test, but what tests call: whatever is raised must explain itself)

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from hotplate.document import InvalidDocument, from_data
from hotplate.template import (
    DIALECTS,
    BoundTemplate,
    Dialect,
    ResolveError,
    ResourceData,
    compile_template,
    local_checks,
    parameter_values,
)
from hotplate.validation import Request, validate

_NOW = datetime(2030, 1, 1, tzinfo=UTC)
_WEB = ResourceData("web-1", {"ip": "10.0.0.1", "addresses": [{"a": ["b"]}], "show": {}})

TEXTS = (
    "", "a", "web", "size", "names", "data", "is_big", "is_small", "0", "1", "-1", "$x", "$", ",",
    "sha256", "md5", "Delete", "snapshot", "metadata", "template", "params", "for_each",
    "$.data", "$.data.list.where($ > 1)", "(a+)+$", "http", "é\u20ac😀", "a" * 70, "file.txt",
    "[1, 2, {\"a\": 3}]", "NaN", "1e5", "true", "OS::stack_name", "OS::Heat::None", "2001-01-01",
)  # fmt: skip
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**63, 10**390, 1.5, -0.0, 1e308, *TEXTS,
)  # fmt: skip

# One call of each function as it should be, by name. Arguments of others are tried as well.
CALLS: dict[str, tuple[Any, ...]] = {
    "get_param": ("size", ["data", "list", 0], ["names", "1"]),
    "Ref": ("size", "web"),
    "get_resource": ("web",),
    "get_attr": (["web", "ip"], ["web", "addresses", 0, "a"], ["web"]),
    "Fn::GetAtt": (["web", "ip"],),
    "get_file": ("file.txt",),
    "list_join": ([",", ["a", "b"]], ["-", ["a"], [1, {"a": 1}]]),
    "Fn::Join": ([",", ["a", "b"]],),
    "str_split": ([",", "a,b"], [",", "a,b", 1]),
    "Fn::Split": ([",", "a,b"],),
    "str_replace": ({"template": "hello $x", "params": {"$x": 1}},),
    "str_replace_strict": ({"template": "hello $x", "params": {"$x": ["a"]}},),
    "str_replace_vstrict": ({"template": "hello $x", "params": {"$x": "b"}},),
    "Fn::Replace": ([{"$x": "a"}, "hello $x"],),
    "repeat": (
        {"template": {"k$x": "$x"}, "for_each": {"$x": ["a", "b"]}},
        {"template": "$x$y", "for_each": {"$x": ["a"], "$y": ["b"]}, "permutations": False},
    ),
    "digest": (["sha256", "a"],),
    "map_merge": ([{"a": 1}, {"b": 2}],),
    "map_replace": ([{"a": "b"}, {"keys": {"a": "c"}, "values": {"b": "d"}}],),
    "yaql": ({"expression": "$.data.list.select($ + 1)", "data": {"list": [1, 2]}},),
    "if": (["is_big", "a", "b"], ["is_big", "a"]),
    "Fn::If": (["is_big", "a", "b"],),
    "filter": ([["a"], ["a", "b"]],),
    "make_url": ({"scheme": "http", "host": "::1", "port": 80, "query": {"a": "b"}},),
    "list_concat": ([["a"], ["b"]],),
    "list_concat_unique": ([["a"], ["a", 1, True]],),
    "contains": (["a", ["a", "b"]], ["a", "abc"]),
    "resource_facade": ("metadata",),
    "Fn::ResourceFacade": ("Metadata",),
    "Fn::Select": ([1, ["a", "b"]], ["a", '{"a": 1}']),
    "Fn::GetAZs": ("",),
    "Fn::Base64": ("a",),
    "Fn::MemberListToMap": (["Name", "Value", [".member.0.Name=a", ".member.0.Value=b"]],),
    "Fn::FindInMap": (["map", "key", "value"],),
    "equals": (["a", {"get_param": "size"}],),
    "Fn::Equals": (["a", {"Ref": "size"}],),
    "not": ("is_big", {"equals": [1, 1]}),
    "Fn::Not": (["is_big"],),
    "and": (["is_big", "is_small"],),
    "Fn::And": (["is_big", "is_small"],),
    "or": (["is_big", "is_small"],),
    "Fn::Or": (["is_big", "is_small"],),
}

FILES = {"file.txt": "content $x", "nested.yaml": "heat_template_version: wallaby\n"}
GIVEN = {"size": 5}


def base_template(dialect: Dialect, value: Any) -> dict[str, Any]:
    """Return a valid template of this version, with the value as property and as output."""
    words = dialect.keywords

    def typed(hot: str, cfn: str) -> str:
        return cfn if dialect.is_cfn else hot

    default = "Default" if dialect.is_cfn else "default"
    equals = "Fn::Equals" if dialect.is_cfn else "equals"
    opposite: Any = {"Fn::Not": ["is_big"]} if dialect.is_cfn else {"not": "is_big"}
    get = "Ref" if dialect.is_cfn else "get_param"
    template: dict[str, Any] = {
        words.version: dialect.version,
        words.description: "text",
        words.parameters: {
            "size": {words.type: typed("number", "Number"), default: 1},
            "names": {words.type: typed("comma_delimited_list", "CommaDelimitedList"),
                      default: "a,b"},
            "data": {words.type: typed("json", "Json"), default: {"list": [1, 2], "map": {}}},
            "flag": {words.type: typed("boolean", "Boolean"), default: True},
        },
        words.resources: {
            "web": {words.type: "OS::Heat::None"},
            "other": {
                words.type: "OS::Heat::None",
                words.properties: {"value": value},
                words.metadata: {"key": [value]},
                words.depends_on: ["web"],
                words.deletion_policy: "Delete",
            },
        },
        words.outputs: {"result": {words.value: value}},
    }  # fmt: skip
    if dialect.has_conditions:
        template[words.conditions] = {"is_big": {equals: [{get: "size"}, 5]}, "is_small": opposite}
        template[words.resources]["other"][words.condition] = "is_big"
    if words.mappings:
        template[words.mappings] = {"map": {"key": {"value": "found"}}}
    if words.parameter_groups:
        template[words.parameter_groups] = [{"label": "all", "parameters": ["size", "names"]}]
    return template


def base_templates() -> list[dict[str, Any]]:
    """Return one template of each version that calls each of its functions."""
    found = []
    for dialect in DIALECTS:
        calls = [{name: arguments[0]} for name, arguments in CALLS.items()
                 if name in dialect.functions and "acade" not in name]  # fmt: skip
        found.append(base_template(dialect, calls))
    return found


Pick = Callable[[int], int]
"""Returns a number from 0 to one less than the argument."""


def spoiled(  # noqa: PLR0912 (one branch for each way)
    template: Any, pick: Pick, changes: int, texts: tuple[str, ...] = TEXTS
) -> Any:
    """Return a copy with some parts replaced, swapped, wrapped in calls, renamed or removed."""
    data = json.loads(json.dumps(template))
    for _ in range(changes):
        places = _places(data)
        if not places:
            return data
        holder, key = places[pick(len(places))]
        other, other_key = places[pick(len(places))]
        kind = pick(9)
        if kind == 0:
            holder[key] = SCALARS[pick(len(SCALARS))]
        elif kind == 1:
            holder[key] = texts[pick(len(texts))]
        elif kind == 2:
            holder[key] = _copy(other[other_key])
        elif kind == 3:
            kept = _copy(holder[key])
            holder[key], other[other_key] = _copy(other[other_key]), kept
        elif kind == 4:
            names = list(CALLS)
            choices = CALLS[names[pick(len(names))]]
            holder[key] = {names[pick(len(names))]: _copy(choices[pick(len(choices))])}
        elif kind == 5:
            names = list(CALLS)
            name = names[pick(len(names))]
            holder[key] = {name: _copy(CALLS[name][pick(len(CALLS[name]))])}
        elif kind == 6:
            holder[key] = [[holder[key]], {"key": holder[key]}, [], {}][pick(4)]
        elif kind == 7:
            del holder[key]
        elif isinstance(holder, dict):
            holder[texts[pick(len(texts))]] = holder.pop(key)
        else:
            holder.insert(key, _copy(other[other_key]))
        if len(json.dumps(data)) > 64 * 1024:
            return data
    return data


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _places(data: Any) -> list[tuple[Any, Any]]:
    """Return every map or list with each of its keys or indices."""
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            found.extend((current, key) for key in current)
            waiting.extend(current.values())
        elif isinstance(current, list):
            found.extend((current, index) for index in range(len(current)))
            waiting.extend(current)
    return found


def compile_and_resolve(template: Any, given: dict[str, Any]) -> None:
    """Do all that can be done with a template; what is resolved must be JSON."""
    try:
        document = from_data(template, "fuzz.yaml")
    except InvalidDocument:
        return
    validate(Request(document, parameters=given, files=FILES), _NOW)
    try:
        compiled = compile_template(document)
        values = parameter_values(compiled, given, checks=local_checks(_NOW), allow_missing=True)
        json.dumps(values.shown())
        bound = BoundTemplate(compiled, values, FILES)
        bound.check_values()
    except InvalidDocument as refused:
        assert refused.problems
        return
    resources = {"web": _WEB}
    for name in list(bound.resources)[:20]:
        for part in (bound.properties, bound.metadata, bound.update_policy, bound.external_id):
            try:
                json.dumps(part(name, resources), allow_nan=False)
            except ResolveError as error:
                assert error.problem.message
    for name in list(bound.outputs)[:20]:
        try:
            json.dumps(bound.output(name, resources), allow_nan=False)
        except ResolveError as error:
            assert error.problem.message
    try:
        bound.needed_attributes()
    except ResolveError as error:
        assert error.problem.message
