"""The plan: what an update would do, why, and where each new value comes from."""

from typing import Any

from tests.api.conftest import Api

TEMPLATE = """\
heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 8}
  colour: {type: string}
  salt: {type: string, default: first}
resources:
  text:
    type: OS::Heat::RandomString
    properties:
      length: {get_param: size}
      salt: {get_param: salt}
  shown:
    type: OS::Heat::TestResource
    properties:
      value: {get_attr: [text, value]}
  inner:
    type: inner.yaml
    properties:
      colour: {get_param: colour}
  members:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Heat::TestResource
        properties:
          value: {get_param: colour}
"""
INNER = """\
heat_template_version: 2021-04-16
parameters:
  colour: {type: string}
resources:
  leaf:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: colour}
"""
COLOURS = """\
parameters:
  # what everything is painted with
  colour: {colour}
"""


def body(colour: str = "red", template: str = TEMPLATE, **parameters: Any) -> dict[str, Any]:
    return {
        "stack_name": "s",
        "template": template,
        "files": {"inner.yaml": INNER, "colours.yaml": COLOURS.replace("{colour}", colour)},
        "environment_files": ["colours.yaml"],
        "parameters": parameters,
    }


def created(api: Api, **settings: Any) -> str:
    answer = api.post("/stacks", json=body(**settings))
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    return f"/stacks/s/{stack_id}"


def plan(api: Api, path: str, sent: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what would become of each resource by its path, with the category."""
    del sent["stack_name"]
    answer = api.put(f"{path}/preview?show_nested=true", json=sent)
    assert answer.status_code == 200, answer.text
    return {
        "/".join(item["path"]): {**item, "category": category}
        for category, items in answer.json()["resource_changes"].items()
        for item in items
    }


def places(item: dict[str, Any], name: str) -> list[tuple[str, str, str, int | None]]:
    change = next(change for change in item["changes"] if change["property"] == name)
    return [(s["kind"], s["name"], s["file"], s["line"]) for s in change["sources"]]


def test_a_value_is_traced_to_the_line_of_an_environment_file_through_nesting(api: Api) -> None:
    path = created(api)
    found = plan(api, path, body("blue"))
    leaf, member = found["inner/leaf"], found["members/0"]
    assert (leaf["category"], member["category"]) == ("updated", "updated")
    assert places(leaf, "value") == [
        ("template", "", "inner.yaml", 8),
        ("template", "", "template", 19),
        ("environment", "colour", "colours.yaml", 3),
    ]
    assert [place[0] for place in places(member, "value")] == ["template", "environment"]
    assert member["written"]["line"] == 20
    (change,) = leaf["changes"]
    assert (change["old"], change["new"], change["is_in_place"]) == ("red", "blue", True)


GROUPS = """\
heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 1}
  colour: {type: string, default: red}
  shape: {type: string, default: round}
resources:
  outer:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: size}
      resource_def:
        type: OS::Heat::AutoScalingGroup
        properties:
          min_size: {get_param: size}
          max_size: 3
          resource:
            type: OS::Heat::TestResource
            properties:
              value: {list_join: [" ", [{get_param: colour}, thing]]}
              update_replace: false
              wait_secs: 0
              action_wait_secs: {create: 0}
              fail: false
              client_name: {get_param: shape}
"""


def test_of_a_group_only_what_the_changed_property_comes_from_is_named(api: Api) -> None:
    """Also of a group whose members are groups; the size has nothing to do with it."""
    answer = api.post("/stacks", json={"stack_name": "s", "template": GROUPS})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    sent = {"stack_name": "s", "template": GROUPS, "parameters": {"colour": "blue"}}
    found = plan(api, f"/stacks/s/{stack_id}", sent)
    (member,) = [item for path, item in found.items() if path.count("/") == 2]
    assert places(member, "value") == [
        ("template", "", "template", 19),
        ("parameter", "colour", "explicit parameters", None),
    ]


def test_parameters_of_the_request_and_defaults_are_named(api: Api) -> None:
    path = created(api)
    found = plan(api, path, body(size=9))
    assert places(found["text"], "length") == [
        ("template", "", "template", 10),
        ("parameter", "size", "explicit parameters", None),
    ]
    other = TEMPLATE.replace("default: first", "default: second")
    found = plan(api, path, body(template=other))
    assert places(found["text"], "salt") == [
        ("template", "", "template", 11),
        ("default", "salt", "template", 5),
    ]


def test_what_must_be_replaced_says_why_and_what_depends_on_it_is_not_certain(api: Api) -> None:
    path = created(api)
    found = plan(api, path, body(salt="other"))
    text, shown = found["text"], found["shown"]
    assert text["category"] == "replaced"
    assert text["reason"] == "a change of salt cannot be made in place"
    assert (shown["category"], shown["is_certain"]) == ("updated", False)
    (change,) = shown["changes"]
    assert change["new"] == "(known later)"
    assert places(shown, "value")[1][:2] == ("resource", "text")


def test_what_stays_is_listed_with_what_is_inside(api: Api) -> None:
    found = plan(api, created(api), body())
    assert {item["category"] for item in found.values()} == {"unchanged"}
    assert set(found) == {
        "text", "shown", "inner", "inner/leaf", "members", "members/0", "members/1"
    }  # fmt: skip


def test_a_resource_that_goes_tells_whether_its_object_stays(api: Api) -> None:
    kept = TEMPLATE.replace("  shown:\n", "  shown:\n    deletion_policy: Retain\n")
    path = created(api, template=kept)
    fewer = "".join(TEMPLATE.partition("  shown:")[0]) + "  " + TEMPLATE[TEMPLATE.index("inner:") :]
    found = plan(api, path, body(template=fewer))
    assert (found["shown"]["category"], found["shown"]["is_kept"]) == ("deleted", True)
    assert found["shown"]["reason"] == "kept: its deletion policy is Retain"


def test_a_decoded_template_has_paths_but_no_lines(api: Api) -> None:
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {"one": {"type": "OS::Heat::TestResource", "properties": {"value": "a"}}},
    }
    answer = api.post("/stacks", json={"stack_name": "d", "template": template})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    template["resources"]["one"]["properties"]["value"] = "b"  # type: ignore[index]
    found = plan(api, f"/stacks/d/{stack_id}", {"stack_name": "d", "template": template})
    assert places(found["one"], "value") == [("template", "", "template", None)]


ASKING = """\
heat_template_version: 2021-04-16
resources:
  members:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Heat::TestResource
        properties: {value: m}
  shown:
    type: OS::Heat::TestResource
    properties:
      value: asked
"""


def test_what_is_asked_of_a_stack_inside_for_the_first_time_is_known(api: Api) -> None:
    """The stack inside stays as it is; what it offers is looked up, as the update does."""
    answer = api.post("/stacks", json={"stack_name": "s", "template": ASKING})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    asked = '{list_join: [", ", {get_attr: [members, output]}]}'
    sent = {"stack_name": "s", "template": ASKING.replace("asked", asked)}
    found = plan(api, f"/stacks/s/{stack_id}", dict(sent))
    assert {each["category"] for path, each in found.items() if path != "shown"} == {"unchanged"}
    (change,) = found["shown"]["changes"]
    assert (change["old"], change["new"]) == ("asked", "m, m")
    assert api.put(f"/stacks/s/{stack_id}", json=sent).status_code == 202
    assert api.wait(stack_id) == "UPDATE_COMPLETE"
    shown = api.get(f"/stacks/s/{stack_id}/resources/shown").json()["resource"]
    assert shown["attributes"]["output"] == "m, m"
