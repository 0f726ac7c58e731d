"""Parameters, resources, attributes and files are looked up."""

from typing import Any

import pytest

from hotplate.template import ResourceData
from tests.unit.template.templates import fault, resolved

PARAMETERS = """
    parameters:
      text: {type: string, default: word}
      list: {type: comma_delimited_list, default: "a,b"}
      map: {type: json, default: {list: [x, {deep: y}], "1": one}}
      name: {type: string, default: text}
    resources: {server: {type: X}, other: {type: X}}
    """
DATA = {
    "server": ResourceData(
        "id-1",
        {
            "name": "web",
            "show": {"everything": 1},
            "addresses": {"net": [{"ip": "10.0.0.1"}]},
            ("resource.0", "ip"): "10.0.0.2",
        },
    )
}


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("text", "word"),
        ("[text]", "word"),
        ("[list, 1]", "b"),
        ("[list, '1']", "b"),
        ("[list, -1]", "b"),
        ("[map, list, 1, deep]", "y"),
        ("[map, '1']", "one"),
        ("[map, nothing]", ""),
        ("[map, list, 9]", ""),
        ("[map, list, word]", ""),
        ("[map, list, true]", ""),
        ("[text, 0]", "w"),
        ("[text, 0, 0, 0]", "w"),
        ("[{get_param: name}]", "word"),
        ("{get_param: name}", "word"),
        ("OS::stack_name", ""),
    ],
)
def test_get_param_follows_a_path_and_gives_an_empty_text_where_it_ends(
    arguments: str, value: Any
) -> None:
    assert resolved(f"{{get_param: {arguments}}}", PARAMETERS) == value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("txt", 'there is no parameter "txt"; did you mean "text"?'),
        ("zebra", 'there is no parameter "zebra"; declare it in the section "parameters"'),
        ("[]", "must name a parameter; write get_param: name"),
        ("''", "must name a parameter; write get_param: name"),
        ("null", "must name a parameter; write get_param: name"),
        ("5", "a parameter is named by a text, not 5"),
        (
            "on",
            "a parameter is named by a text, not true; "
            "YAML reads on, off, yes and no as true and false: put quotes around such a name",
        ),
        ("[{get_param: [map, list]}]", 'a parameter is named by a text, not ["x", {"deep": "y"}]'),
    ],
)
def test_get_param_refuses_what_names_no_parameter(arguments: str, words: str) -> None:
    assert fault(f"{{get_param: {arguments}}}", PARAMETERS) == f"get_param: {words}"


def test_get_resource_is_the_reference_and_before_that_the_name() -> None:
    assert resolved("{get_resource: server}", PARAMETERS) == "server"
    assert resolved("{get_resource: server}", PARAMETERS, resources=DATA) == "id-1"


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("[server, name]", "web"),
        ("[server, addresses, net, 0, ip]", "10.0.0.1"),
        ("[server, addresses, net, 5]", None),
        ("[server, addresses, net, '0']", None),
        ("[server, addresses, none]", None),
        ("[server, name, 0]", "w"),
        ("[server, nothing]", None),
        ("[server, resource.0, ip]", "10.0.0.2"),
        ("[other, name]", None),
    ],
)
def test_get_attr_follows_a_path_and_gives_null_where_it_ends(arguments: str, value: Any) -> None:
    assert resolved(f"{{get_attr: {arguments}}}", PARAMETERS, resources=DATA) == value


def test_get_attr_without_an_attribute_gives_all_but_show_since_liberty() -> None:
    call = "{get_attr: [server]}"
    assert resolved(call, PARAMETERS, resources=DATA) == {
        "name": "web",
        "addresses": {"net": [{"ip": "10.0.0.1"}]},
    }
    assert fault(call, PARAMETERS, "2015-04-30") == (
        "get_attr: must name a resource and an attribute; write get_attr: [resource, attribute]"
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("{get_resource: servr}", 'there is no resource "servr"; did you mean "server"?'),
        ("{get_resource: [server]}", 'a resource is named by a text, not ["server"]'),
        ("{get_resource: {get_param: list}}", "the name of a resource must be a text, not a list"),
        ("{get_attr: [servr, a]}", 'there is no resource "servr"; did you mean "server"?'),
        ("{get_attr: server}", "must be a list that begins with a resource; write get_attr: "),
        ("{get_attr: []}", "must be a list that begins with a resource; write get_attr: "),
        ("{get_attr: [server, 5]}", "an attribute is named by a text, not a number"),
        ("{get_attr: [server, {get_param: list}]}", "an attribute is named by a text, not"),
    ],
)
def test_a_reference_to_nothing_is_refused(call: str, words: str) -> None:
    assert words in fault(call, PARAMETERS, resources=DATA)


def test_get_file_gives_the_content_that_came_with_the_request() -> None:
    assert resolved("{get_file: a.sh}", files={"a.sh": "echo"}) == "echo"
    assert resolved("{get_file: a.sh}", files={"a.sh": ""}) == ""


def test_get_file_of_a_missing_file_is_refused() -> None:
    assert fault("{get_file: a.sh}") == (
        'get_file: the content of the file "a.sh" was not given; send it in the request\'s files'
    )
    assert fault("{get_file: setup.sh}", files={"setup.bash": ""}).endswith(
        'did you mean "setup.bash"?'
    )
    assert fault("{get_file: [a]}") == "get_file: the name of a file must be a text, not a list"


def test_resource_facade_knows_three_words() -> None:
    assert fault("{resource_facade: properties}") == (
        "resource_facade: must be one of metadata, deletion_policy, update_policy"
    )
