"""The functions of CFN templates."""

from typing import Any

import pytest

from hotplate.template import Facade, ResourceData
from tests.unit.template.templates import CFN, fault, resolved

SECTIONS = """
    Parameters:
      Text: {Type: String, Default: word}
      List: {Type: CommaDelimitedList, Default: "a,b"}
    Mappings: {Sizes: {small: {ram: 1, disks: [a]}}}
    Resources: {Server: {Type: X}}
    """
DATA = {"Server": ResourceData("id-1", {"ip": "10.0.0.1"})}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{Ref: Text}", "word"),
        ("{Ref: Server}", "id-1"),
        ("{Ref: 'AWS::StackName'}", ""),
        ('{"Fn::GetAtt": [Server, ip]}', "10.0.0.1"),
        ('{"Fn::FindInMap": [Sizes, small, ram]}', 1),
        ('{"Fn::Select": [1, {Ref: List}]}', "b"),
        ('{"Fn::Select": ["0", [x, y]]}', "x"),
        ('{"Fn::Select": [9, [x, y]]}', ""),
        ('{"Fn::Select": [a, {a: 1, b: 2}]}', 1),
        ('{"Fn::Select": [c, {a: 1, b: 2}]}', ""),
        ("{'Fn::Select': [a, '{\"a\": 5}']}", 5),
        ("{'Fn::Select': [0, '[\"a\"]']}", "a"),
        ('{"Fn::Select": [0, ""]}', ""),
        ('{"Fn::Join": ["-", [a, {Ref: Text}]]}', "a-word"),
        ('{"Fn::Split": [",", "a,b"]}', ["a", "b"]),
        ('{"Fn::Replace": [{$a: {Ref: Text}}, "x $a"]}', "x word"),
        ('{"Fn::Base64": {Ref: Text}}', "word"),
        ('{"Fn::GetAZs": ""}', ["nova"]),
        (
            '{"Fn::MemberListToMap": [Name, Value, '
            "[.member.1.Name=b, .member.0.Name=a, .member.0.Value=1, .member.1.Value=2=3]]}",
            {"a": "1", "b": "2=3"},
        ),
        ('{"Fn::MemberListToMap": [Name, Value, [.member.0.Name=a]]}', {}),
    ],
)
def test_a_cfn_function(expression: str, value: Any) -> None:
    assert resolved(expression, SECTIONS, version=CFN, resources=DATA) == value


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{Ref: Serve}", 'there is no parameter or resource "Serve"; did you mean "Server"?'),
        ("{Ref: [Text]}", 'there is no parameter or resource ["Text"]'),
        ('{"Fn::GetAtt": [Server]}', 'must name a resource and an attribute; write {"Fn::GetAtt"'),
        ('{"Fn::GetAtt": [Server, ip, 0]}', "must name a resource and an attribute"),
        ('{"Fn::FindInMap": [Size, small, ram]}', 'there is no "Size" in Mappings; did you mean'),
        ('{"Fn::FindInMap": [Sizes, smal, ram]}', 'there is no "smal" in Sizes in Mappings'),
        ('{"Fn::FindInMap": [Sizes, {Ref: Text}, ram]}', 'there is no "word" in Sizes in Mapp'),
        ('{"Fn::FindInMap": [Sizes, small]}', "takes 3 arguments, 2 given"),
        ('{"Fn::Select": [x, [a]]}', 'the index must be a whole number, not "x"'),
        ('{"Fn::Select": [0, 5]}', "selects from a list or a map, not from a number"),
        ('{"Fn::Select": [0, "{"]}', '"{" is not JSON'),
        ('{"Fn::Split": ["", "a"]}', "the delimiter must not be empty"),
        ('{"Fn::Join": ["-", [5]]}', "an item to join must be a text, not a number"),
        ('{"Fn::Base64": [a]}', "the argument must be a text, not a list"),
        ('{"Fn::MemberListToMap": [N, V, [x]]}', 'a member needs a "=", "x" has none'),
        ('{"Fn::MemberListToMap": [N, V, x]}', "the members must be a list, not a text"),
    ],
)
def test_a_cfn_function_refuses_what_cannot_be(expression: str, words: str) -> None:
    assert words in fault(expression, SECTIONS, CFN, resources=DATA)


def test_select_refuses_json_that_no_document_can_hold() -> None:
    assert "is not JSON" in fault("{'Fn::Select': [0, '[NaN']}", SECTIONS, CFN)


def test_a_cfn_template_sees_its_facade() -> None:
    facade = Facade({"a": 1}, "Retain", None)
    for word, value in (("Metadata", {"a": 1}), ("DeletionPolicy", "Retain"), ("UpdatePolicy", {})):
        call = f'{{"Fn::ResourceFacade": {word}}}'
        assert resolved(call, version=CFN, facade=facade) == value


def test_the_oldest_hot_version_has_them_too() -> None:
    sections = "resources: {r: {type: X}}\nparameters: {p: {type: string, default: x}}"
    assert resolved("{Ref: r}", sections, version="2013-05-23") == "r"
    assert resolved("{Ref: p}", sections, version="2013-05-23") == "x"
    assert resolved("{'Fn::Join': ['', [a, b]]}", version="2013-05-23") == "ab"
