"""Environments kept by the engine: what updates, rollbacks and snapshots make of the list."""

import json

from tests.api.conftest import Api
from tests.api.templates.stored_environments.environments import (
    AB,
    EMPTY,
    INNER_TEMPLATE,
    TEMPLATE,
    body,
    environment,
    in_effect,
    new,
    numbers,
    values,
)
from tests.api.trees import VERSION, changed, deleted, listed, made


def test_v10_a_patch_appends_to_the_list(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    changed(api, path, {"files": {"c": values(q="c")}, "environment_files": ["c"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "c"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "c")


def test_v11_a_name_that_is_sent_again_keeps_its_place(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    again = {"files": {"a": values(p="A", q="A")}, "environment_files": ["a"]}
    changed(api, path, again)
    assert environment(api, path)["environment_files"] == ["a", "b"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "A")
    # New names among known ones are appended in the order in which they are sent.
    more = {"files": {"c": values(p="c"), "d": values(p="d")}}
    changed(api, path, {**more, "environment_files": ["d", "a", "c"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "d", "c"]
    assert in_effect(api, path) == "c"


def test_v12_changed_content_counts_although_no_list_is_sent(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    changed(api, path, {"files": {"a": values(q="new")}})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "new")
    assert environment(api, path)["environment_files"] == ["a", "b"]
    changed(api, path, {"files": {"b": "{}"}})
    assert in_effect(api, path) == "from the template"


def test_v13_one_file_can_be_changed_without_the_others(api: Api) -> None:
    files = {**AB, "c": values(labels={"c": 1})}
    path = new(api, "a", "b", "c", files=files, parameters={"size": 3})
    changed(api, path, {"files": {"b": values(p="B", labels={"b": 1})}})
    found = environment(api, path)
    assert found["parameters"] == {
        "p": "B", "q": "a", "labels": {"b": 1, "c": 1}, "size": 3,
    }  # fmt: skip
    assert api.get(f"{path}/files").json()["a"] == AB["a"]


def test_v14_a_default_that_is_sent_again_does_not_override_the_users(api: Api) -> None:
    path = new(api, "defaults", "users", files={"defaults": AB["a"], "users": AB["b"]})
    again = values(p="newer default", q="newer default")
    changed(api, path, {"files": {"defaults": again}, "environment_files": ["defaults"]})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "newer default")


def test_v15_the_list_can_be_read_and_is_taken_along(api: Api) -> None:
    path = new(api, "b", "a", files=AB, parameters={"size": 1})
    found = environment(api, path)
    assert found["environment_files"] == ["b", "a"]
    lists = {"environment_files", "environment_file_names", "cleared_parameters"}
    assert set(found) == {*EMPTY, *lists}
    export = api.get(f"{path}/export").json()
    assert export["environment"]["parameters"] == {"p": "a", "q": "a", "size": 1}
    document = api.delete(f"{path}/abandon").json()
    adopted = made(
        api,
        "adopted",
        {"adopt_stack_data": json.dumps(document)},
        "ADOPT_COMPLETE",
    )
    assert environment(api, adopted) == found
    changed(api, adopted, {"files": {"a": values(q="new")}})
    assert (in_effect(api, adopted), in_effect(api, adopted, "q")) == ("b", "new")


def test_v16_explicit_parameters_stay_on_top_until_they_are_cleared(api: Api) -> None:
    path = new(api, "a", files=AB, parameters={"p": "explicit"})
    changed(api, path, {"files": {"a": values(p="A")}, "environment_files": ["a", "b"]})
    assert in_effect(api, path) == "explicit"
    changed(api, path, {"parameters": {"q": "explicit"}})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("explicit", "explicit")
    changed(api, path, {"clear_parameters": ["p", "unknown"]})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "explicit")


def test_v17_put_replaces_the_list(api: Api) -> None:
    path = new(api, "a", "b", files=AB, parameters={"q": "explicit"})
    changed(api, path, body("x", files={"x": values(p="x")}), put=True)
    assert environment(api, path)["environment_files"] == ["x"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("x", "from the template")
    assert set(api.get(f"{path}/files").json()) == {"x"}
    changed(api, path, {"template": TEMPLATE}, put=True)
    assert environment(api, path)["environment_files"] == []


def test_v24_a_rollback_returns_to_the_list_of_that_state(api: Api) -> None:
    path = new(api, "a", "b", files=AB, disable_rollback=False)
    before, files = environment(api, path), api.get(f"{path}/files").json()
    failing = TEMPLATE.replace("{value:", "{fail: true, value:")
    sent = {
        "template": failing,
        "files": {"a": values(q="new"), "c": values(p="c")},
        "environment_files": ["c"],
        "parameters": {"size": 9},
    }
    changed(api, path, sent, "ROLLBACK_COMPLETE")
    assert environment(api, path) == before
    assert api.get(f"{path}/files").json() == files
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "a")
    changed(api, path, {"files": {"b": values(p="later")}})
    assert in_effect(api, path) == "later"


def test_v24_restoring_a_snapshot_returns_to_the_list_of_that_state(api: Api) -> None:
    path = new(api, "a", "b", files=AB, parameters={"size": 1})
    before, files = environment(api, path), api.get(f"{path}/files").json()
    stack_id = path.rsplit("/", 1)[1]
    snapshot = api.post(f"{path}/snapshots", json={}).json()["id"]
    assert api.wait(stack_id) == "SNAPSHOT_COMPLETE"
    changed(api, path, {"files": {"a": "{}", "c": values(p="c")}, "environment_files": ["c"]})
    assert in_effect(api, path) == "c"
    assert api.post(f"{path}/snapshots/{snapshot}/restore").status_code == 202
    assert api.wait(stack_id) == "RESTORE_COMPLETE"
    assert environment(api, path) == before
    assert api.get(f"{path}/files").json() == files
    assert in_effect(api, path) == "b"


def test_a_changed_file_reaches_the_stacks_inside(api: Api) -> None:
    """V and N together: nested stacks work with the merged environment."""
    middle = VERSION + "resources: {inner: {type: inner.yaml}}"
    group = "{type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: M}}}"
    template = VERSION + f"resources: {{group: {group.replace('M', 'middle.yaml')}}}"
    files = {
        "inner.yaml": INNER_TEMPLATE,
        "middle.yaml": middle,
        "a": json.dumps({"parameter_defaults": {"plain": "before"}}),
        "b": json.dumps({"parameter_defaults": {"inner": "user"}}),
    }
    sent = {"template": template, "files": files, "environment_files": ["a", "b"]}
    path = made(api, f"reached-{next(numbers)}", sent)

    def leaves() -> list[str]:
        items = listed(api, path, nested_depth="MAX", name="leaf", with_detail=True)
        return [item["attributes"]["output"] for item in items]

    assert leaves() == ["user before"] * 2
    changed(api, path, {"files": {"a": json.dumps({"parameter_defaults": {"plain": "after"}})}})
    assert leaves() == ["user after"] * 2
    # A nested template is a file as well.
    changed(api, path, {"files": {"inner.yaml": INNER_TEMPLATE.replace('" "', '"+"')}})
    assert leaves() == ["user+after"] * 2
    before = environment(api, path)
    deleted(api, path)
    assert environment(api, path) == before
    assert len(listed(api, path, nested_depth="MAX", name="leaf")) == 2
