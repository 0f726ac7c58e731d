"""A stack elsewhere: asked for once, watched by a cookie, whatever happens in between."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from hotplate.resources import Done, Resource, ResourceFailed, Result, Wait
from hotplate.resources.heat.remote_stack import RemoteStack
from hotplate.resources.regions import Region, Regions
from tests.unit.resources.acting import StillWorld, resource

KIND = RemoteStack()
NAME = "app-it-0f6f8f0e1111"
GIVEN = {"template": "{}", "context": {"region_name": "far"}, "parameters": {"a": 1}}


class Far:
    """A server with at most one stack, which is as far as a test says."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.bodies: list[Any] = []
        self.stack: dict[str, Any] | None = None
        self.fault: httpx.Response | None = None
        self.is_away = False

    def is_at(self, status: str, updated: str = "", reason: str = "") -> None:
        self.stack = {
            "id": "far-id", "stack_name": NAME, "stack_status": status,
            "stack_status_reason": reason, "updated_time": updated,
            "outputs": [{"output_key": "o", "output_value": 7}],
        }  # fmt: skip

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            raise httpx.ConnectError("nobody there")
        asked = f"{request.method} {request.url.path.removeprefix('/v1/p')}"
        self.asked.append(asked)
        if request.content:
            self.bodies.append(json.loads(request.content))
        if self.fault is not None:
            return self.fault
        if asked == "POST /stacks":
            if self.stack is not None:
                return httpx.Response(409, json={"error": {"message": "exists"}})
            self.is_at("CREATE_IN_PROGRESS")
            return httpx.Response(201, json={"stack": {"id": "far-id"}})
        if asked == "GET /stacks":
            return httpx.Response(200, json={"stacks": [self.stack] if self.stack else []})
        if asked.startswith("GET"):
            found = self.stack
            return httpx.Response(200, json={"stack": found}) if found else httpx.Response(404)
        if asked.endswith("/snapshots"):
            return httpx.Response(200, json={"id": "kept"})
        return httpx.Response(202)


def world(far: Far, patience: float = 10) -> StillWorld:
    region = Region("http://far/v1/p", patience=patience)
    return StillWorld({"regions": Regions({"far": region}, httpx.MockTransport(far))})


def it(far: Far, **facts: Any) -> Resource:
    return resource(KIND, GIVEN, world=world(far), files={"f": "x"}, environment={"e": 1}, **facts)


def after(told: Resource, result: Result) -> Resource:
    """The resource as the engine calls it again, with what it was told to keep."""
    assert isinstance(result, Wait)
    data = told.data if result.data is None else result.data
    physical_id = result.physical_id or told.physical_id
    return replace(told, cookie=result.cookie, data=data, physical_id=physical_id)


def run(action: str, told: Resource) -> Result:
    found: Result = asyncio.run(getattr(KIND, action)(told))
    return found


def refusal(told: Resource) -> str:
    return asyncio.run(KIND.refusal(told))


def test_the_server_is_asked_beforehand_whether_it_takes_the_template() -> None:
    far = Far()
    assert refusal(it(far)) == ""
    assert far.asked == ["POST /validate"]
    assert far.bodies == [
        {
            "template": "{}",
            "parameters": {"a": 1},
            "files": {"f": "x"},
            "environment": {"e": 1},
        }
    ]
    far.fault = httpx.Response(400, json={"error": {"message": "The template is bad"}})
    assert refusal(it(far)) == (
        'Failed validating stack template using Heat endpoint at region "far" '
        'due to "ERROR: The template is bad"'
    )


def test_what_is_not_known_yet_is_not_asked_beforehand() -> None:
    far = Far()
    told = it(far)
    assert refusal(replace(told, properties={**told.properties, "template": None})) == ""
    assert far.asked == []


def test_a_server_that_is_away_refuses_nothing_beforehand() -> None:
    far = Far()
    far.is_away = True
    assert refusal(it(far)) == ""


def test_an_unknown_region_is_told_beforehand_in_heats_words() -> None:
    told = it(Far())
    told = replace(told, properties={**told.properties, "context": {"region_name": "fra"}})
    said = refusal(told)
    assert said.startswith(
        'Cannot establish connection to Heat endpoint at region "fra" due to '
        '"public endpoint for orchestration service in fra region not found"'
    )
    assert "known are far" in said


def test_that_it_may_exist_is_known_before_it_is_asked_for() -> None:
    far = Far()
    told = it(far)
    assert not KIND.may_exist(told)
    told = after(told, run("create", told))
    assert far.asked == []
    assert KIND.may_exist(told)
    told = after(told, run("create", told))
    assert told.physical_id == "far-id"
    assert far.bodies == [
        {
            "stack_name": NAME,
            "template": "{}",
            "parameters": {"a": 1},
            "files": {"f": "x"},
            "environment": {"e": 1},
            "disable_rollback": True,
        }
    ]
    told = after(told, run("create", told))
    far.is_at("CREATE_COMPLETE")
    done = run("create", told)
    assert isinstance(done, Done)
    assert (done.physical_id, done.reference) == ("far-id", "far-id")
    assert done.attributes is not None
    assert done.attributes["outputs"] == {"o": 7}
    assert far.asked.count("POST /stacks") == 1


def test_a_name_that_is_taken_is_that_of_an_earlier_try() -> None:
    far = Far()
    far.is_at("CREATE_IN_PROGRESS")
    told = it(far, data={"stack_name": NAME})
    assert after(told, run("create", told)).physical_id == "far-id"
    assert asyncio.run(KIND.find(told)) == "far-id"
    # Found after a crash: it is not asked for again.
    found = replace(told, physical_id="far-id")
    found = after(found, run("create", found))
    far.is_at("CREATE_COMPLETE")
    assert isinstance(run("create", found), Done)
    assert far.asked.count("POST /stacks") == 1


def test_what_was_refused_need_not_be_looked_for() -> None:
    far = Far()
    far.fault = httpx.Response(400, json={"error": {"message": "bad template"}})
    told = it(far, data={"stack_name": NAME})
    told = after(told, run("create", told))
    assert not KIND.may_exist(told)
    with pytest.raises(ResourceFailed, match="refuses: 400 bad template"):
        run("create", told)


def test_an_update_ends_with_the_one_that_was_asked_for() -> None:
    far = Far()
    far.is_at("UPDATE_COMPLETE", "yesterday")
    told = it(far, physical_id="far-id")
    told = after(told, run("update", told))
    told = after(told, run("update", told))  # still as it was before
    far.is_at("UPDATE_IN_PROGRESS", "today")
    told = after(told, run("update", told))
    far.is_at("UPDATE_COMPLETE", "today")
    assert isinstance(run("update", told), Done)
    assert far.asked.count(f"PUT /stacks/{NAME}/far-id") == 1


def test_a_clock_that_shows_nothing_new_is_not_waited_for_without_end() -> None:
    far = Far()
    far.is_at("UPDATE_COMPLETE", "today")
    told = it(far, physical_id="far-id")
    told = after(told, run("update", told))
    assert isinstance(told.world, StillWorld)
    told.world.time += 11
    assert isinstance(run("update", told), Done)


@pytest.mark.parametrize("action", ["check", "suspend", "resume"])
def test_walks_are_actions(action: str) -> None:
    far = Far()
    far.is_at("CREATE_COMPLETE")
    told = it(far, physical_id="far-id")
    told = after(told, run(action, told))
    assert far.bodies == [{action: None}]
    far.is_at(f"{action.upper()}_COMPLETE")
    assert isinstance(run(action, told), Done)


def test_a_snapshot_is_kept_in_the_data() -> None:
    far = Far()
    far.is_at("CREATE_COMPLETE")
    told = it(far, physical_id="far-id")
    told = after(told, run("snapshot", told))
    assert told.data["snapshot_id"] == "kept"


def test_a_failure_there_is_told_here() -> None:
    far = Far()
    far.is_at("CREATE_FAILED", reason="no more room")
    told = it(far, physical_id="far-id", cookie={"asked": "CREATE", "since": 0, "before": None})
    with pytest.raises(ResourceFailed, match='status CREATE_FAILED due to "no more room"'):
        run("create", told)


def test_who_is_away_is_asked_again_for_a_time() -> None:
    far = Far()
    far.is_away = True
    told = it(far, data={"stack_name": NAME})
    told = after(told, run("create", told))
    far.is_away = False
    assert after(told, run("create", told)).physical_id == "far-id"
    far.is_away = True
    told = after(told, run("create", told))
    assert isinstance(told.world, StillWorld)
    told.world.time += 11
    with pytest.raises(ResourceFailed, match="cannot be reached: nobody there"):
        run("create", told)


def test_deleting_ends_when_it_is_gone() -> None:
    far = Far()
    assert isinstance(run("delete", it(far, physical_id="far-id")), Done)
    far.is_at("CREATE_COMPLETE")
    told = it(far, physical_id="far-id")
    told = after(told, run("delete", told))
    far.is_at("DELETE_FAILED", reason="stuck")
    with pytest.raises(ResourceFailed, match="stuck"):
        run("delete", told)
    far.is_at("DELETE_COMPLETE")
    assert isinstance(run("delete", told), Done)


def test_what_is_gone_cannot_be_changed() -> None:
    with pytest.raises(ResourceFailed, match="is gone from its region"):
        run("update", it(Far(), physical_id="far-id"))


def test_another_region_replaces() -> None:
    old = KIND.convert(GIVEN)
    new = KIND.convert({**GIVEN, "context": {"region_name": "farther"}})
    assert KIND.replacement_reason(old, new) == "the region changes from far to farther"
    other = KIND.convert({**GIVEN, "context": {"region_name": "far", "insecure": True}})
    assert KIND.replacement_reason(old, other) == ""


def test_names_are_such_as_heat_takes() -> None:
    far = Far()
    told = resource(KIND, GIVEN, world=world(far), stack_name="0 ü", name="a/b")
    told = after(told, run("create", told))
    assert told.data["stack_name"] == "s0__-a_b-0f6f8f0e1111"
