"""Hooks and restricted actions over the wire: events, resources, signals that clear, previews."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.api.conftest import Api

STARTED = "CREATE paused until Hook pre-create is cleared"


def template(second: str = "two", replacing: str = "x") -> dict[str, Any]:
    kind = "OS::Heat::TestResource"
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "first": {"type": kind, "properties": {"value": "one"}},
            "second": {
                "type": kind,
                "depends_on": "first",
                "properties": {"value": second},
            },
            "third": {"type": "OS::Heat::RandomString", "properties": {"salt": replacing}},
        },
    }


def environment(**settings: Any) -> dict[str, Any]:
    return {"resource_registry": {"resources": {"sec*": settings, "thi*": settings}}}


def created(api: Api, settings: dict[str, Any] | None = None) -> tuple[str, str]:
    """Return the path and the id of a stack that has been accepted."""
    body = {"stack_name": "s", "template": template(), "environment": environment(**settings or {})}
    if not settings:
        del body["environment"]
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    return f"/stacks/s/{stack_id}", stack_id


def reasons(api: Api, path: str, name: str) -> list[tuple[str, str]]:
    events = api.get(f"{path}/resources/{name}/events?sort_dir=asc").json()["events"]
    return [(event["resource_status"], event["resource_status_reason"]) for event in events]


def waiting(api: Api, stack_id: str, name: str, reason: str) -> None:
    async def has_come() -> bool:
        events = await api.engine.operations.events(stack_id)
        told = [event.reason for event in events if event.name == name]
        return bool(told) and told[-1] == reason

    api.until(has_come)


def clear(api: Api, path: str, name: str, hook: Any) -> Any:
    return api.post(f"{path}/resources/{name}/signal", json={"unset_hook": hook})


def test_a_resource_waits_before_it_is_created(api: Api) -> None:
    path, stack_id = created(api, {"hooks": "pre-create"})
    for name in ("second", "third"):
        waiting(api, stack_id, name, STARTED)
    listed = api.get(f"{path}/resources").json()["resources"]
    states = {each["resource_name"]: each["resource_status"] for each in listed}
    assert states == {
        "first": "CREATE_COMPLETE",
        "second": "INIT_COMPLETE",
        "third": "INIT_COMPLETE",
    }
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
    answer = clear(api, path, "third", "pre-create")
    assert (answer.status_code, answer.json()) == (200, None)
    waiting(api, stack_id, "third", "state changed")
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
    clear(api, path, "second", "pre-create")
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    assert reasons(api, path, "second") == [
        ("INIT_COMPLETE", STARTED),
        ("INIT_COMPLETE", "Hook pre-create is cleared"),
        ("CREATE_IN_PROGRESS", "state changed"),
        ("CREATE_COMPLETE", "state changed"),
    ]


def test_what_cannot_be_cleared(api: Api) -> None:
    path, stack_id = created(api, {"hooks": "pre-create"})
    waiting(api, stack_id, "second", STARTED)
    resource = f'TestResource "second" Stack "s" [{stack_id}]'
    for hook, words in (
        ("pre-update", f'The "pre-update" hook is not defined on {resource}'),
        ("lunch", f'Invalid hook type "lunch" for {resource}'),
        (None, f'Invalid hook type "None" for {resource}'),
        (["pre-create"], f"Invalid hook type \"['pre-create']\" for {resource}"),
    ):
        answer = clear(api, path, "second", hook)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert (error["type"], error["message"]) == ("InvalidBreakPointHook", words)
    answer = clear(api, path, "first", "pre-create")
    assert 'The "pre-create" hook is not defined on TestResource "first" [' in answer.text.replace(
        '\\"', '"'
    )
    assert clear(api, path, "nobody", "pre-create").status_code == 404
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"


def test_an_update_and_the_deletion_meet_their_hooks(api: Api) -> None:
    path, stack_id = created(api)
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    settings = {"hooks": ["pre-update", "pre-delete"]}
    body = {"template": template("other"), "environment": environment(**settings)}
    assert api.put(path, json=body).status_code == 202
    waiting(api, stack_id, "second", "UPDATE paused until Hook pre-update is cleared")
    assert reasons(api, path, "second")[-1][0] == "CREATE_COMPLETE"
    clear(api, path, "second", "pre-update")
    assert api.wait(stack_id) == "UPDATE_COMPLETE"
    api.delete(path)
    for name in ("second", "third"):
        waiting(api, stack_id, name, "DELETE paused until Hook pre-delete is cleared")
        assert clear(api, path, name, "pre-delete").status_code == 200
    assert api.wait(stack_id) == "DELETE_COMPLETE"


def test_hooks_of_a_request_that_goes_on_are_met_by_a_patch(api: Api) -> None:
    """The environment is kept, and with it the hooks."""
    path, stack_id = created(api, {"hooks": "pre-update"})
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    api.patch(path, json={"template": template("other")})
    waiting(api, stack_id, "second", "UPDATE paused until Hook pre-update is cleared")
    clear(api, path, "second", "pre-update")
    assert api.wait(stack_id) == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("changed", "name", "restricted", "category"),
    [
        (template("other"), "second", "update", "updated"),
        (template(replacing="y"), "third", "replace", "replaced"),
    ],
)
def test_a_restricted_action_is_previewed_and_refused(
    api: Api, changed: dict[str, Any], name: str, restricted: str, category: str
) -> None:
    path, stack_id = created(api)
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    before = api.get(f"{path}/resources/{name}").json()["resource"]["physical_resource_id"]
    body = {"template": changed, "environment": environment(restricted_actions=[restricted])}
    preview = api.put(f"{path}/preview", json=body).json()["resource_changes"]
    words = f"{restricted} is restricted for resource."
    keys = ("resource_name", "reason", "is_refused")
    assert [tuple(each[key] for key in keys) for each in preview[category]] == [(name, words, True)]
    assert api.put(path, json=body).status_code == 202
    assert api.wait(stack_id) == "UPDATE_FAILED"
    reason = api.get(path).json()["stack"]["stack_status_reason"]
    why = f"ResourceActionRestricted: resources.{name}: {words}"
    assert reason == f"Resource UPDATE failed: {why}"
    assert reasons(api, path, name)[-1] == ("UPDATE_FAILED", words)
    resource = api.get(f"{path}/resources/{name}").json()["resource"]
    assert resource["physical_resource_id"] == before
    assert resource["resource_status"] == "CREATE_COMPLETE"
    del body["environment"]
    api.put(path, json={**body, "environment": {}})
    assert api.wait(stack_id) == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"hooks": "pre-lunch"}, "pre-lunch"), ({"restricted_actions": "delete"}, "delete")],
)
def test_words_that_nobody_knows_are_refused(
    api: Api, settings: dict[str, Any], words: str
) -> None:
    body = {"stack_name": "s", "template": template(), "environment": environment(**settings)}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_a_signed_address_clears_no_hook(api: Api) -> None:
    """Whoever may signal one handle is not the one who lets resources go on."""
    body = {
        "stack_name": "s",
        "template": {
            "heat_template_version": "2021-04-16",
            "resources": {"third": {"type": "OS::Heat::WaitConditionHandle"}},
            "outputs": {"address": {"value": {"get_attr": ["third", "endpoint"]}}},
        },
        "environment": environment(hooks="post-create"),
    }
    stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"
    waiting(api, stack_id, "third", "CREATE paused until Hook post-create is cleared")
    address = urlsplit(api.get(f"{path}/outputs/address").json()["output"]["output_value"])
    local = f"http://testserver{address.path}?{address.query}"
    assert api.post(local, json={"unset_hook": "post-create"}).status_code == 400
    assert api.post(local, json={"id": "1"}).status_code == 200
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
    clear(api, path, "third", "post-create")
    assert api.wait(stack_id) == "CREATE_COMPLETE"
