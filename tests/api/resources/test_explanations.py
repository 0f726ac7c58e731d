"""The preview of a deletion, the causes of a state, and how long things take, over the wire."""

import re
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.traversal.interruption import time_out
from hotplate.store.stacks import lock_stack
from tests.api.conftest import Api

INNER = """\
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
conditions:
  is_bad: {equals: [{get_param: word}, bad]}
resources:
  leaf:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: word}
      fail: {if: [is_bad, true, false]}
"""
TEMPLATE = """\
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: good}
resources:
  base:
    type: OS::Heat::TestResource
    properties: {value: one}
  kept:
    type: OS::Heat::TestResource
    deletion_policy: Retain
    depends_on: base
  inner:
    type: inner.yaml
    depends_on: base
    properties:
      word: {get_param: word}
  last:
    type: OS::Heat::TestResource
    depends_on: inner
"""


def created(api: Api, status: str = "CREATE_COMPLETE", **settings: Any) -> str:
    body = {"stack_name": "s", "template": TEMPLATE, "files": {"inner.yaml": INNER}, **settings}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == status
    return f"/stacks/s/{stack_id}"


def deletion_preview(api: Api, path: str) -> list[dict[str, Any]]:
    answer = api.get(f"{path}/deletion")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["deletion"]
    return found


def causes(api: Api, path: str, name: str) -> list[dict[str, Any]]:
    answer = api.get(f"{path}/resources/{name}/why")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["why"]["causes"]
    return found


def places(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    sources = [cause["source"] for cause in found if cause["source"]]
    return [(source["file"], source["line"]) for source in sources]


def test_a_deletion_is_previewed_in_its_order_and_does_just_that(api: Api) -> None:
    path = created(api)
    going = deletion_preview(api, path)
    order = ["/".join(each["path"]) for each in going]
    assert sorted(order) == ["base", "inner", "inner/leaf", "kept", "last"]
    assert order.index("last") < order.index("inner/leaf") < order.index("inner")
    assert order[-1] == "base"
    steps = {"/".join(each["path"]): (each["step"], each["reason"]) for each in going}
    assert steps.pop("kept") == ("kept", "kept: its deletion policy is Retain")
    assert set(steps.values()) == {("deleted", "")}
    assert next(each["after"] for each in going if each["path"] == ["inner"]) == ["last"]


def test_what_is_inside_a_stack_that_stays_stays_with_it(api: Api) -> None:
    kept = TEMPLATE.replace("  inner:\n", "  inner:\n    deletion_policy: Retain\n")
    going = deletion_preview(api, created(api, template=kept))
    leaf = next(each for each in going if each["path"] == ["inner", "leaf"])
    assert (leaf["step"], leaf["reason"]) == ("kept", "kept with inner")


def test_a_hook_before_the_deletion_is_told(api: Api) -> None:
    environment = {"resource_registry": {"resources": {"base": {"hooks": "pre-delete"}}}}
    going = deletion_preview(api, created(api, environment=environment))
    assert going[-1]["step"] == "waiting"
    assert going[-1]["reason"] == "waits until its hook pre-delete is cleared"


def test_a_failure_is_explained_by_the_leaf_and_its_line(api: Api) -> None:
    path = created(api, "CREATE_FAILED", parameters={"word": "bad"})
    found = causes(api, path, "inner")
    assert found[0]["text"] == "inner is CREATE_FAILED"
    assert found[1]["text"] == "inner/leaf failed in CREATE"
    assert found[1]["path"] == ["inner", "leaf"]
    assert places(found) == [("template", 12), ("inner.yaml", 7)]
    assert "Test Resource failed leaf" in found[2]["text"]


def test_what_was_never_begun_names_what_failed_before_it(api: Api) -> None:
    path = created(api, "CREATE_FAILED", parameters={"word": "bad"})
    found = causes(api, path, "last")
    assert [cause["text"] for cause in found[:2]] == [
        "last has not been made yet",
        "its stack is CREATE_FAILED",
    ]
    assert found[2]["text"].startswith("inner/leaf failed: ")


def test_a_wait_is_followed_to_what_is_waited_for(api: Api) -> None:
    environment = {"resource_registry": {"resources": {"base": {"hooks": "pre-create"}}}}
    body = {
        "stack_name": "s",
        "template": TEMPLATE,
        "files": {"inner.yaml": INNER},
        "environment": environment,
    }
    stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"

    async def has_come() -> bool:
        events = await api.engine.operations.events(stack_id)
        return any("paused" in event.reason for event in events)

    api.until(has_come)
    found = [(cause["level"], cause["text"]) for cause in causes(api, path, "last")]
    assert found == [
        (0, "last has not been made yet"),
        (1, "it waits for inner"),
        (2, "it waits for base"),
        (3, "it waits until its hook pre-create is cleared"),
    ]


def test_secrets_do_not_show_in_causes(api: Api) -> None:
    template = TEMPLATE.replace("default: good}", "hidden: true}")
    path = created(api, "CREATE_COMPLETE", template=template, parameters={"word": "sesame"})
    assert "sesame" not in str(causes(api, path, "inner"))


def test_an_unknown_resource_is_not_found(api: Api) -> None:
    assert api.get(f"{created(api)}/resources/nobody/why").status_code == 404


def test_durations_are_learnt_from_what_has_happened(api: Api) -> None:
    assert api.get("/durations").json() == {"durations": []}
    created(api)
    found = {
        (each["resource_type"], each["action"]): each
        for each in api.get("/durations").json()["durations"]
    }
    took = found["OS::Heat::TestResource", "CREATE"]
    assert took["count"] == 4
    assert 0 <= took["seconds"] < 60


def test_who_asked_for_what_is_kept_and_an_update_is_numbered(api: Api) -> None:
    path = created(api)
    body = {"template": TEMPLATE, "files": {"inner.yaml": INNER}, "parameters": {"word": "new"}}
    answer = api.put(path, json=body, headers={"x-auth-user": "alice"})
    assert (answer.status_code, answer.headers["etag"]) == (202, '"2"')
    assert api.wait(path.rpartition("/")[2]) == "UPDATE_COMPLETE"
    asked = api.get(f"{path}/requests").json()["requests"]
    assert [(each["sequence"], each["action"], each["user"]) for each in asked] == [
        (1, "CREATE", "admin"),
        (2, "UPDATE", "alice"),
    ]
    assert api.get(f"{path}/requests?after=1").json()["requests"] == asked[1:]


def test_what_the_engine_does_by_itself_nobody_asked_for(api: Api) -> None:
    path = created(api)
    body = {"template": TEMPLATE, "files": {"inner.yaml": INNER}, "parameters": {"word": "bad"}}
    answer = api.put(path, json={**body, "disable_rollback": False})
    assert answer.status_code == 202, answer.text
    assert api.wait(path.rpartition("/")[2]) == "ROLLBACK_COMPLETE"
    asked = api.get(f"{path}/requests").json()["requests"]
    assert [each["action"] for each in asked] == ["CREATE", "UPDATE"]


def test_a_rollback_can_be_looked_at_before(api: Api) -> None:
    path = created(api)
    body = {"template": TEMPLATE, "files": {"inner.yaml": INNER}, "parameters": {"word": "bad"}}
    api.put(path, json=body)
    assert api.wait(path.rpartition("/")[2]) == "UPDATE_FAILED"
    changes = api.get(f"{path}/rollback?show_nested=true").json()["resource_changes"]
    assert [each["path"] for each in changes["replaced"]] == [["inner", "leaf"]]
    assert ["base"] in [each["path"] for each in changes["unchanged"]]


def test_what_was_never_complete_goes_back_to_nothing(api: Api) -> None:
    path = created(api, "CREATE_FAILED", parameters={"word": "bad"})
    changes = api.get(f"{path}/rollback?show_nested=true").json()["resource_changes"]
    deleted = {tuple(each["path"]) for each in changes["deleted"]}
    assert {("base",), ("inner",)} <= deleted


def test_places_in_the_root_template_have_the_name_that_the_client_said(api: Api) -> None:
    path = created(api, "CREATE_FAILED", parameters={"word": "bad"}, template_name="app.yaml")

    def named() -> set[str]:
        causes = api.get(f"{path}/resources/inner/why").json()["why"]["causes"]
        return {each["source"]["file"] for each in causes if each["source"]}

    assert "app.yaml" in named()
    # An update of parts keeps the template, and so its name; another template has its own.
    assert api.patch(path, json={"parameters": {"word": "bad"}}).status_code == 202
    api.wait(path.rpartition("/")[2])
    assert "app.yaml" in named()
    assert api.patch(path, json={"template": TEMPLATE}).status_code == 202
    api.wait(path.rpartition("/")[2])
    assert "app.yaml" not in named()


SIGNALLED = """\
heat_template_version: 2021-04-16
resources:
  ready: {type: OS::Heat::WaitConditionHandle}
  condition:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: ready}, count: 2, timeout: 3600}
  after: {type: OS::Heat::None, depends_on: condition}
"""


def waiting_for_signals(api: Api, **settings: Any) -> str:
    body = {"stack_name": "s", "template": SIGNALLED, **settings}
    stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"
    assert reason_of(api, path, "0 of 2").startswith("0 of 2 signals to ready received")
    return path


def reason_of(api: Api, path: str, beginning: str) -> str:
    """Return the reason of the condition as soon as it begins like this."""

    async def look() -> str:
        answer = await api.client.get(f"{path}/resources/condition")
        return str(answer.json()["resource"]["resource_status_reason"])

    return api.until(look, lambda reason: reason.startswith(beginning))


def test_a_wait_condition_says_for_how_many_signals_to_whom_it_waits_and_how_long(
    api: Api,
) -> None:
    path = waiting_for_signals(api)
    assert api.post(f"{path}/resources/ready/signal", json={}).status_code == 200
    reason = reason_of(api, path, "1 of 2")
    assert re.fullmatch(
        r"1 of 2 signals to ready received, waits until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", reason
    )
    texts = [cause["text"] for cause in causes(api, path, "condition")]
    assert texts == ["condition is CREATE_IN_PROGRESS", f"it is CREATE_IN_PROGRESS: {reason}"]
    assert causes(api, path, "after")[-1]["text"] == f"it is CREATE_IN_PROGRESS: {reason}"
    assert api.post(f"{path}/resources/ready/signal", json={}).status_code == 200
    assert api.wait(path.rsplit("/", 1)[1]) == "CREATE_COMPLETE"
    assert reason_of(api, path, "state") == "state changed"


def test_what_was_only_stopped_is_no_root_cause_and_names_what_failed(api: Api) -> None:
    waiting = """\
heat_template_version: 2021-04-16
resources:
  never: {type: OS::Heat::TestResource, properties: {wait_secs: -1}}
"""
    template = """\
heat_template_version: 2021-04-16
resources:
  inner: {type: waiting.yaml}
  bad:
    type: OS::Heat::TestResource
    depends_on: base
    properties: {fail: true, action_wait_secs: {create: 0.3}}
  base: {type: OS::Heat::TestResource, properties: {action_wait_secs: {create: 0.3}}}
"""
    body = {"stack_name": "s", "template": template, "files": {"waiting.yaml": waiting}}
    stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_FAILED"
    path = f"/stacks/s/{stack_id}"

    async def look() -> str:
        answer = await api.client.get(f"{path}/resources/inner")
        return str(answer.json()["resource"]["resource_status"])

    api.until(look, lambda status: status == "CREATE_FAILED")
    failures = api.get(path).json()["stack"]["failures"]
    assert [each["path"] for each in failures] == [["bad"]]
    texts = [cause["text"] for cause in causes(api, path, "inner")]
    assert any(text.startswith("bad failed: ") for text in texts)


def test_who_waited_when_the_time_of_the_stack_was_up_says_so(api: Api) -> None:
    path = waiting_for_signals(api, timeout_mins=1)

    def end(connection: Connection) -> None:
        stack = lock_stack(connection, path.rsplit("/", 1)[1])
        assert stack is not None
        time_out(connection, api.engine.tools, stack)

    api.run(api.engine.database.transact(end))
    assert reason_of(api, path, "CREATE aborted") == "CREATE aborted (Timed out)"
    assert api.get(path).json()["stack"]["stack_status_reason"] == "Timed out"
