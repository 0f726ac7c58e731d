"""Whatever function gets a secret gives a secret, and gives what it would give without one."""

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotplate.document import parse
from hotplate.secret import STARS, Secrets, holds_secret, is_secret, plain, secret_paths
from hotplate.template import (
    BoundTemplate,
    Facade,
    InvalidTemplate,
    ResolveError,
    ResourceData,
    compile_template,
    parameter_values,
)
from hotplate.template.expression import Call
from hotplate.template.versions import DIALECTS

WORD: Final = "correct horse battery"
ITEMS: Final = ["alpha-1", "beta-2", "gamma-3"]
MAP: Final = {"user": "mallory", "port": 4711, "inner": {"key": "deep-down"}}

# What each function is called with: {"word"}, {"items"} and {"map"} stand for the secrets.
CALLS: Final[dict[str, list[Any]]] = {
    "get_param": ["word", "items", "map", ["map", "user"], ["map", "inner", "key"], ["items", 1]],
    "get_attr": [["thing", "value"], ["thing", "nested", "a"], ["thing"]],
    "get_resource": ["thing"],
    "resource_facade": ["metadata"],
    "str_replace": [{"template": "<$w>", "params": {"$w": {"get_param": "word"}}}],
    "str_replace_strict": [{"template": "<$w>", "params": {"$w": {"get_param": "map"}}}],
    "str_replace_vstrict": [{"template": {"get_param": "word"}, "params": {"horse": "x"}}],
    "list_join": [["-", {"get_param": "items"}], [{"get_param": "word"}, ["a", "b"]]],
    "str_split": [[" ", {"get_param": "word"}], [" ", {"get_param": "word"}, 1]],
    "digest": [["sha256", {"get_param": "word"}]],
    "repeat": [
        {"template": {"k": "<%i%>"}, "for_each": {"%i%": {"get_param": "items"}}},
        {"template": {"<%i%>": 1}, "for_each": {"%i%": {"get_param": "items"}}},
    ],
    "map_merge": [[{"get_param": "map"}, {"get_param": "map"}]],
    "map_replace": [
        [{"get_param": "map"}, {"keys": {"user": "name"}}],
        [{"a": "b"}, {"values": {"b": {"get_param": "word"}}}],
        [{"a": "b"}, {"keys": {"a": {"get_param": "word"}}}],
    ],
    "list_concat": [[{"get_param": "items"}, {"get_param": "items"}]],
    "list_concat_unique": [[{"get_param": "items"}, {"get_param": "items"}]],
    "filter": [[["alpha-1"], {"get_param": "items"}]],
    "contains": [["alpha-1", {"get_param": "items"}]],
    "yaql": [
        {"expression": "$.data.toUpper()", "data": {"get_param": "word"}},
        {"expression": "$.data.len()", "data": {"get_param": "word"}},
        {"expression": "dict($.data.select([$, 1]))", "data": {"get_param": "items"}},
        {"expression": "$.data.port + 0.5", "data": {"get_param": "map"}},
    ],
    "make_url": [
        {"scheme": "http", "host": "db", "password": {"get_param": "word"}, "username": "u"}
    ],
    "if": [[True, {"get_param": "word"}, "no"]],
    "equals": [[{"get_param": "word"}, "x"]],
    "not": [{"equals": [{"get_param": "word"}, "x"]}],
    "and": [[{"equals": [{"get_param": "word"}, "x"]}, True]],
    "or": [[{"equals": [{"get_param": "word"}, "x"]}, True]],
    "Ref": ["word"],
    "Fn::Join": [["-", {"Ref": "items"}]],
    "Fn::Select": [["1", {"Ref": "items"}]],
    "Fn::Split": [[" ", {"Ref": "word"}]],
    "Fn::Replace": [[{"w": {"Ref": "word"}}, "<w>"]],
    "Fn::Base64": [{"Ref": "word"}],
    "Fn::MemberListToMap": [
        [
            "Name",
            "Value",
            [{"Fn::Join": ["", [".member.0.Name=", {"Ref": "word"}]]}, ".member.0.Value=x"],
        ]
    ],
    "Fn::GetAtt": [["thing", "value"]],
    "Fn::ResourceFacade": ["Metadata"],
    "Fn::If": [["yes", {"Ref": "word"}, "no"]],
    "Fn::Equals": [[{"Ref": "word"}, "x"]],
    "Fn::Not": [[{"Fn::Equals": [{"Ref": "word"}, "x"]}]],
    "Fn::And": [[{"Fn::Equals": [{"Ref": "word"}, "x"]}, {"Fn::Equals": ["x", "x"]}]],
    "Fn::Or": [[{"Fn::Equals": [{"Ref": "word"}, "x"]}, {"Fn::Equals": ["x", "x"]}]],
}
# They give nothing of what they get: a file, a text of the template, the zones of the cloud.
WITHOUT: Final = frozenset(("get_file", "Fn::FindInMap", "Fn::GetAZs"))
TRUTHS: Final = frozenset(("contains",))
IN_CONDITIONS: Final = frozenset(
    ("equals", "not", "and", "or", "Fn::Equals", "Fn::Not", "Fn::And", "Fn::Or")
)


def _template(expression: Any, cfn: bool, hidden: bool = True) -> BoundTemplate:
    if cfn:
        document: dict[str, Any] = {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Conditions": {"yes": {"Fn::Equals": ["x", "x"]}},
            "Parameters": {
                "word": {"Type": "String", "NoEcho": hidden},
                "items": {"Type": "CommaDelimitedList", "NoEcho": hidden},
            },
            "Resources": {
                "thing": {"Type": "T"},
                "it": {"Type": "T", "Properties": {"p": expression}},
            },
        }
    else:
        document = {
            "heat_template_version": "wallaby",
            "parameters": {
                "word": {"type": "string", "hidden": hidden},
                "items": {"type": "comma_delimited_list", "hidden": hidden},
                "map": {"type": "json", "hidden": hidden},
                "open": {"type": "string", "default": "everybody"},
            },
            "resources": {
                "thing": {"type": "T"},
                "it": {"type": "T", "properties": {"p": expression}},
            },
        }
    values: dict[str, Any] = {"word": WORD, "items": ITEMS}
    if not cfn:
        values["map"] = MAP
    template = compile_template(parse(json.dumps(document), "t"))
    secrets = Secrets(("in the metadata",)) if hidden else Secrets()
    facade = Facade(metadata=secrets.typed({"m": "in the metadata"}))
    return BoundTemplate(template, parameter_values(template, values), facade=facade)


def _thing(hidden: bool) -> dict[str, ResourceData]:
    typed = Secrets(("drawn at random", "nested")).typed if hidden else plain
    attributes = {"value": "drawn at random", "nested": {"a": "nested"}}
    return {"thing": ResourceData(typed("drawn at random"), typed(attributes), hidden)}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return [leaf for item in items for leaf in _leaves(item)]
    return [value]


def _cases() -> list[tuple[str, Any]]:
    # Those that only conditions may use give true or false.
    return [
        (name, arguments)
        for name, all_ in CALLS.items()
        if name not in IN_CONDITIONS
        for arguments in all_
    ]


def test_every_function_of_every_version_is_tried() -> None:
    known = {
        name for dialect in DIALECTS for name in (*dialect.functions, *dialect.condition_functions)
    }
    assert known - WITHOUT <= CALLS.keys()


@pytest.mark.parametrize(("name", "arguments"), _cases())
def test_whatever_function_gets_a_secret_gives_a_secret(name: str, arguments: Any) -> None:
    cfn = name.startswith("Fn::") or name == "Ref"
    found = _template({name: arguments}, cfn).properties("it", _thing(hidden=True))["p"]
    known = _template({name: arguments}, cfn, hidden=False).properties("it", _thing(hidden=False))
    assert found == known["p"]
    assert not holds_secret(known["p"])
    if name not in TRUTHS:
        assert holds_secret(found)
    assert all(is_secret(leaf) for leaf in _leaves(found) if leaf not in (None, True, False, "", 1))
    for text in (WORD, *ITEMS, "mallory"):
        assert text not in repr(found)


_TEXTS: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        st.sampled_from([{"get_param": "word"}, {"get_param": ["map", "user"]}]),
        st.just({"get_param": "open"}),
        st.sampled_from(["plain", "a b c", ""]),
        _TEXTS.map(lambda one: {"digest": ["md5", one]}),
        _TEXTS.map(lambda one: {"str_replace": {"template": "<$x>", "params": {"$x": one}}}),
        st.tuples(_TEXTS, _TEXTS).map(lambda both: {"list_join": ["+", list(both)]}),
        _LISTS.map(lambda items: {"list_join": ["", items]}),
        _TEXTS.map(lambda one: {"yaql": {"expression": "str($.data)", "data": one}}),
        st.tuples(st.booleans(), _TEXTS, _TEXTS).map(lambda all_: {"if": list(all_)}),
    )
)
_LISTS: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        st.just({"get_param": "items"}),
        st.lists(_TEXTS, max_size=2),
        _TEXTS.map(lambda one: {"str_split": ["e", one]}),
        st.tuples(_LISTS, _LISTS).map(lambda both: {"list_concat": list(both)}),
        _LISTS.map(lambda items: {"repeat": {"template": "<%i>", "for_each": {"%i": items}}}),
        _LISTS.map(lambda items: {"filter": [["beta-2"], items]}),
    )
)


def _is_derived(expression: Any) -> bool:
    """Whether a secret comes into an expression on a branch that counts."""
    if isinstance(expression, list):
        return any(map(_is_derived, expression))
    if not isinstance(expression, dict):
        return False
    if "get_param" in expression:
        return expression["get_param"] != "open"
    if "if" in expression:
        condition, then, otherwise = expression["if"]
        return _is_derived(then if condition else otherwise)
    return any(map(_is_derived, expression.values()))


@settings(max_examples=150, deadline=None)
@given(_TEXTS)
def test_expressions_made_of_functions_keep_what_is_secret(expression: Any) -> None:
    found = _template(expression, cfn=False).properties("it")["p"]
    assert found == _template(expression, cfn=False, hidden=False).properties("it")["p"]
    if found:
        assert is_secret(found) is _is_derived(expression)


@settings(max_examples=150, deadline=None)
@given(_LISTS)
def test_a_secret_is_in_no_list_as_a_plain_value(expression: Any) -> None:
    found = _template(expression, cfn=False).properties("it")["p"]
    assert found == _template(expression, cfn=False, hidden=False).properties("it")["p"]
    if not _is_derived(expression):
        assert not holds_secret(found)
    for text in (WORD, *ITEMS, "mallory"):
        assert text not in repr(found)


def test_functions_that_hand_on_values_keep_apart_what_is_secret() -> None:
    merged = {"map_merge": [{"password": {"get_param": "word"}}, {"name": "db"}]}
    found = _template(merged, cfn=False).properties("it")["p"]
    assert secret_paths(found) == [["password"]]


def test_what_a_secret_condition_chooses_is_no_secret() -> None:
    chosen = {"if": [{"equals": [{"get_param": "word"}, WORD]}, "yes", "no"]}
    outer = {"list_join": ["-", [chosen, "x"]]}
    assert not holds_secret(_template(outer, cfn=False).properties("it")["p"])


@pytest.mark.parametrize(
    "expression",
    [
        {"str_split": [" ", {"get_param": "word"}, {"get_param": ["map", "user"]}]},
        {"digest": [{"get_param": "word"}, "x"]},
        {"get_file": {"get_param": "word"}},
        {"get_param": [{"get_param": "word"}]},
        {"get_file": {"str_split": [" ", {"get_param": "word"}, 2]}},
        {"yaql": {"expression": "int($.data)", "data": {"get_param": "word"}}},
        {"yaql": {"expression": {"get_param": "word"}, "data": 1}},
        {"if": [{"yaql": {"expression": "int($.data)", "data": {"get_param": "word"}}}, 1, 2]},
        {"map_replace": [{"a": 1, WORD: 2}, {"keys": {"a": {"get_param": "word"}}}]},
    ],
)
def test_what_a_function_refuses_is_not_told(expression: Any) -> None:
    with pytest.raises((ResolveError, InvalidTemplate)) as caught:
        _template(expression, cfn=False).properties("it")
    words = f"{caught.value} {vars(caught.value)}"
    for text in (WORD, "correct", "battery", "mallory"):
        assert text not in words.replace(json.dumps(expression), "")
    assert STARS in words


def test_every_call_goes_through_the_one_place() -> None:
    def below(kind: Any) -> list[Any]:
        return [kind, *(each for inner in kind.__subclasses__() for each in below(inner))]

    assert [kind for kind in below(Call) if kind.resolve is not Call.resolve] == []
