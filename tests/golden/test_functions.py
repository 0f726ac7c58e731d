"""Every function works in the versions that have it, and is refused in the others."""

import json
from typing import Any

import pytest

from hotplate.document import InvalidDocument, from_data
from hotplate.template import (
    DIALECTS,
    BoundTemplate,
    Dialect,
    Facade,
    ResourceData,
    compile_template,
    parameter_values,
)
from tests.golden.ours import HERE

# A correct use of each function, and its value.
USES: dict[str, tuple[Any, Any]] = {
    "get_param": ("word", "hello"),
    "get_resource": ("thing", "thing-id"),
    "get_attr": (["thing", "value"], "shown"),
    "get_file": ("note.txt", "a note"),
    "str_replace": ({"template": "a-b", "params": {"b": "c"}}, "a-c"),
    "str_replace_strict": ({"template": "a-b", "params": {"b": "c"}}, "a-c"),
    "str_replace_vstrict": ({"template": "a-b", "params": {"b": "c"}}, "a-c"),
    "list_join": ([",", ["a", "b"]], "a,b"),
    "str_split": ([",", "a,b"], ["a", "b"]),
    "repeat": ({"template": "<%x%>", "for_each": {"%x%": ["a", "b"]}}, ["<a>", "<b>"]),
    "digest": (["md5", "abc"], "900150983cd24fb0d6963f7d28e17f72"),
    "resource_facade": ("deletion_policy", "Delete"),
    "map_merge": ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
    "map_replace": ([{"a": 1}, {"keys": {"a": "b"}}], {"b": 1}),
    "yaql": ({"expression": "$.data.len()", "data": [1, 2]}, 2),
    "if": (["yes", "a", "b"], "a"),
    "filter": ([["a"], ["a", "b"]], ["b"]),
    "make_url": ({"scheme": "http", "host": "example.com"}, "http://example.com"),
    "list_concat": ([["a"], ["b"]], ["a", "b"]),
    "list_concat_unique": ([["a"], ["a"]], ["a"]),
    "contains": (["a", ["a"]], True),
    "Ref": ("word", "hello"),
    "Fn::GetAtt": (["thing", "value"], "shown"),
    "Fn::FindInMap": (["sizes", "small", "ram"], 512),
    "Fn::GetAZs": ("", ["nova"]),
    "Fn::Select": (["1", ["a", "b"]], "b"),
    "Fn::Join": ([",", ["a", "b"]], "a,b"),
    "Fn::Split": ([",", "a,b"], ["a", "b"]),
    "Fn::Replace": ([{"b": "c"}, "a-b"], "a-c"),
    "Fn::Base64": ("text", "text"),
    "Fn::MemberListToMap": (
        ["Name", "Value", [".member.0.Name=a", ".member.0.Value=b"]],
        {"a": "b"},
    ),
    "Fn::ResourceFacade": ("DeletionPolicy", "Delete"),
    "Fn::If": (["yes", "a", "b"], "a"),
}
CONDITION_USES: dict[str, Any] = {
    "get_param": "flag",
    "equals": [1, 1],
    "not": False,
    "and": [True, True],
    "or": [True, False],
    "yaql": {"expression": "$.data = 1", "data": 1},
    "contains": ["a", ["a"]],
    "Fn::Equals": [1, 1],
    "Fn::Not": [False],
    "Fn::And": [True, True],
    "Fn::Or": [True, False],
    "Fn::FindInMap": ["sizes", "small", "cheap"],
    "Ref": "flag",
}
MATRIX: dict[str, dict[str, str]] = json.loads(
    (HERE / "recorded" / "function_matrix.json").read_text()
)
IDS = [dialect.name for dialect in DIALECTS]


def sections(dialect: Dialect) -> dict[str, Any]:
    """Return a template with everything that the uses refer to."""
    words = dialect.keywords
    text, flag = ("String", "Boolean") if dialect.is_cfn else ("string", "boolean")
    default = "Default" if dialect.is_cfn else "default"
    template: dict[str, Any] = {
        words.version: dialect.version,
        words.parameters: {
            "word": {words.type: text, default: "hello"},
            "flag": {words.type: flag, default: True},
        },
        words.resources: {"thing": {words.type: "OS::Heat::Value"}},
    }
    if words.mappings:
        template[words.mappings] = {"sizes": {"small": {"ram": 512, "cheap": True}}}
    if dialect.has_conditions:
        template[words.conditions] = {"yes": True}
    return template


def value_of(dialect: Dialect, template: dict[str, Any]) -> Any:
    compiled = compile_template(from_data(template, "test"))
    bound = BoundTemplate(
        compiled, parameter_values(compiled, {}), {"note.txt": "a note"}, Facade()
    )
    return bound.output("result", {"thing": ResourceData("thing-id", {"value": "shown"})})


@pytest.mark.parametrize("function", USES)
@pytest.mark.parametrize("dialect", DIALECTS, ids=IDS)
def test_a_function_works_where_it_exists_and_is_refused_elsewhere(
    dialect: Dialect, function: str
) -> None:
    if dialect.is_cfn and not function.startswith(("Fn::", "Ref")):
        return  # a word without a meaning in CFN
    arguments, value = USES[function]
    template = sections(dialect)
    template[dialect.keywords.outputs] = {"result": {dialect.keywords.value: {function: arguments}}}
    if function in dialect.functions:
        assert value_of(dialect, template) == value
    else:
        with pytest.raises(InvalidDocument, match=function):
            value_of(dialect, template)


@pytest.mark.parametrize("function", CONDITION_USES)
@pytest.mark.parametrize("dialect", DIALECTS, ids=IDS)
def test_a_condition_function_works_where_it_exists_and_is_refused_elsewhere(
    dialect: Dialect, function: str
) -> None:
    words = dialect.keywords
    template = sections(dialect)
    template[words.conditions] = {"yes": {function: CONDITION_USES[function]}}
    chosen = {"Fn::If" if dialect.is_cfn else "if": ["yes", "a", "b"]}
    template[words.outputs] = {"result": {words.value: chosen}}
    if function in dialect.condition_functions:
        assert value_of(dialect, template) == "a"
    else:
        with pytest.raises(InvalidDocument):
            value_of(dialect, template)


@pytest.mark.parametrize("dialect", DIALECTS, ids=IDS)
def test_the_versions_have_the_functions_that_heat_runs(dialect: Dialect) -> None:
    style = {"AWSTemplateFormatVersion": "cfn-", "HeatTemplateFormatVersion": "heat-"}
    recorded = MATRIX[style.get(dialect.keywords.version, "") + dialect.version]
    heats = {name for name, verdict in recorded.items() if verdict in ("accepted", "error")}
    assert set(dialect.functions) == heats


def test_every_function_is_tried() -> None:
    assert set(USES) == {name for dialect in DIALECTS for name in dialect.functions}
    assert set(CONDITION_USES) == {
        name for dialect in DIALECTS for name in dialect.condition_functions
    }
