"""Troubles with Keystone before and during operations: nothing is stuck, and all say why."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hotplate.store.authorities import list_authorities
from hotplate.store.database import open_engine
from tests.acceptance.serving import Served, serving
from tests.identity.conftest import Client, Town, configuration
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person, Project
from tests.identity.small_cloud import small_cloud

NET = {"type": "OS::Neutron::Net"}
GATED = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "first": NET,
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "gate": {
            "type": "OS::Heat::WaitCondition",
            "depends_on": "first",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 600},
        },
        "second": {**NET, "depends_on": "gate"},
    },
}
GROUP = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "group": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {"min_size": 1, "max_size": 3, "resource": NET},
        },
        "more": {
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "adjustment_type": "change_in_capacity",
                "auto_scaling_group_id": {"get_resource": "group"},
                "scaling_adjustment": 1,
            },
        },
    },
}
TAKE_OVER = "any member of the project can take the stack over: update it"
HELP = "it is tried again every 10 seconds; the cloud's operator can help if it lasts"
PATIENCE = 90.0


def wait(goal: Callable[[], Any], told: Callable[[], object] = lambda: "") -> None:
    end = time.monotonic() + PATIENCE
    while not goal():
        assert time.monotonic() < end, told()
        time.sleep(0.1)


@pytest.fixture(scope="module")
def acting(
    keystone: Keystone,
    town: Town,
    proxy: CountingProxy,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """A server in a small cloud that sweeps every second."""
    with small_cloud(keystone, proxy, town.service) as region:
        more = f'region_name = "{region}"\n[authority]\nsweep_seconds = 1\n'
        file = configuration(tmp_path_factory.mktemp("acting"), town, proxy.url, more)
        with serving("--config", str(file)) as server:
            yield server


class Room:
    """A project with two members: ann makes stacks, bob stays when she cannot go on."""

    def __init__(self, acting: Served, keystone: Keystone, town: Town) -> None:
        self._acting = acting
        self._keystone = keystone
        mark = f"{time.monotonic_ns():x}"
        self.project: Project = keystone.project(f"room-{mark}")
        self.ann: Person = keystone.person(f"ann-{mark}", self.project, "member")
        self.bob: Person = keystone.person(f"bob-{mark}", self.project, "member")
        self.admin = Client(acting, self.project, keystone.token(town.admin))
        self.path = ""

    def of(self, person: Person) -> Client:
        return Client(self._acting, self.project, self._keystone.token(person))

    def create(self, client: Client, template: Any) -> None:
        body = {"stack_name": "stack", "template": template}
        answer = client.ask("POST", "/stacks", json=body)
        assert answer.status_code == 201, answer.text
        self.path = f"/stacks/stack/{answer.json()['stack']['id']}"

    def begin(self, client: Client) -> None:
        """Create a stack of which the first half is made."""
        self.create(client, GATED)
        wait(lambda: self.resource("gate")["resource_status"] == "CREATE_IN_PROGRESS", self.all)

    def go_on(self, client: Client) -> None:
        """Let the second half begin."""
        self.signal(client, "handle", {"status": "SUCCESS"})

    def signal(self, client: Client, name: str, body: Any = None) -> None:
        answer = client.ask("POST", f"{self.path}/resources/{name}/signal", json=body)
        assert answer.status_code == 200, answer.text

    def shown(self, path: str) -> Any:
        """Return what an administrator sees, whatever became of the project."""
        return self.admin.get(f"{self.path}{path}").json()

    def status(self) -> str:
        return str(self.shown("").get("stack", {}).get("stack_status", ""))

    def told(self) -> str:
        """Return the reason of the stack."""
        return str(self.shown("")["stack"]["stack_status_reason"])

    def resource(self, name: str) -> dict[str, Any]:
        return dict(self.shown(f"/resources/{name}").get("resource") or {"resource_status": ""})

    def reason(self, name: str) -> str:
        return str(self.resource(name)["resource_status_reason"])

    def events(self) -> list[str]:
        found = self.shown("/events?nested_depth=5")["events"]
        return [str(each["resource_status_reason"]) for each in found]

    def all(self) -> object:
        return self.shown(""), self.shown("/resources"), self.events()

    def until(self, *wanted: str) -> None:
        wait(lambda: self.status() in wanted, self.all)

    def until_told(self, name: str, why: str) -> None:
        """Wait until a resource, its stack and an event say why nothing goes on, and who helps."""
        wait(lambda: why in self.reason(name), self.all)
        assert TAKE_OVER in self.reason(name)
        assert self.told().startswith("Stack CREATE started; resources.second waits: "), self.told()
        assert why in self.told()
        assert TAKE_OVER in self.told()
        assert any(why in each and TAKE_OVER in each for each in self.events()), self.events()

    def take_over(self, client: Client) -> None:
        answer = client.ask("PATCH", self.path, json={})
        assert answer.status_code == 202, answer.text
        self.until("UPDATE_COMPLETE")

    def delete(self, client: Client) -> None:
        answer = client.ask("DELETE", self.path)
        assert answer.status_code == 204, answer.text
        self.until("", "DELETE_COMPLETE")

    def enable(self, what: str, enabled: bool) -> None:
        key = self.ann.id if what == "user" else self.project.id
        body = {what: {"enabled": enabled}}
        self._keystone.ask("PATCH", f"/{what}s/{key}", body)

    def take_role(self) -> None:
        role = self._keystone.role("member")
        path = f"/projects/{self.project.id}/users/{self.ann.id}/roles/{role}"
        self._keystone.ask("DELETE", path)

    def trusts(self) -> list[Any]:
        asked = f"/OS-TRUST/trusts?trustor_user_id={self.ann.id}"
        return list(self._keystone.ask("GET", asked)["trusts"])


@pytest.fixture
def room(acting: Served, keystone: Keystone, town: Town) -> Room:
    return Room(acting, keystone, town)


def authorities(served: Served, project: Project) -> list[Any]:
    engine = open_engine(served.database)
    try:
        with engine.begin() as connection:
            found = list_authorities(connection)
    finally:
        engine.dispose()
    return [each for each in found if each.authority.project == project.id]


def expect_nothing_left(acting: Served, room: Room) -> None:
    wait(lambda: not authorities(acting, room.project), lambda: authorities(acting, room.project))
    assert room.trusts() == []


@pytest.mark.parametrize("trouble", ["disabled", "role"])
@pytest.mark.parametrize("remedy", ["update", "delete"])
def test_when_the_owner_is_lost_in_mid_create_another_member_goes_on(
    acting: Served, room: Room, trouble: str, remedy: str
) -> None:
    bob = room.of(room.bob)
    room.begin(room.of(room.ann))
    if trouble == "disabled":
        room.enable("user", False)
    else:
        room.take_role()
    room.go_on(bob)
    room.until_told("second", f"the token of user {room.ann.name}")
    assert "is no longer accepted" in room.reason("second")
    assert room.status() == "CREATE_IN_PROGRESS"
    if remedy == "update":
        room.take_over(bob)
    room.delete(bob)
    expect_nothing_left(acting, room)


def test_a_create_goes_on_with_a_service_token_when_the_users_has_expired(
    acting: Served, keystone: Keystone, room: Room
) -> None:
    bob = room.of(room.bob)
    end = short_life()
    credential = keystone.application_credential(room.ann, expires_at=f"{end:%Y-%m-%dT%H:%M:%S}")
    room.begin(Client(acting, room.project, keystone.token_of_credential(credential)))
    wait(lambda: datetime.now(UTC) > end + timedelta(seconds=1))
    room.go_on(bob)
    room.until("CREATE_COMPLETE")
    room.delete(bob)
    expect_nothing_left(acting, room)


def short_life() -> datetime:
    return datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=8)


@pytest.mark.parametrize("token", ["good", "expired"])
def test_what_needs_keystone_waits_while_it_is_away_and_goes_on_by_itself(
    acting: Served, keystone: Keystone, room: Room, proxy: CountingProxy, token: str
) -> None:
    bob, end = room.of(room.bob), short_life()
    owner = room.of(room.ann)
    if token == "expired":
        given = keystone.application_credential(room.ann, expires_at=f"{end:%Y-%m-%dT%H:%M:%S}")
        owner = Client(acting, room.project, keystone.token_of_credential(given))
    room.begin(owner)
    if token == "expired":
        wait(lambda: datetime.now(UTC) > end + timedelta(seconds=1))
    assert bob.status() == 200
    late = Client(acting, room.project, keystone.token(room.bob))
    proxy.go()
    try:
        room.go_on(bob)
        refused = late.ask("DELETE", room.path)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        wait(lambda: "Keystone" in room.reason("second"), room.all)
        assert room.status() == "CREATE_IN_PROGRESS"
        assert HELP in room.reason("second")
    finally:
        proxy.come()
    room.until("CREATE_COMPLETE")
    room.delete(bob)
    expect_nothing_left(acting, room)


def test_a_delete_waits_while_keystone_is_away(
    acting: Served, room: Room, proxy: CountingProxy
) -> None:
    ann = room.of(room.ann)
    room.begin(ann)
    room.go_on(ann)
    room.until("CREATE_COMPLETE")
    proxy.go()
    try:
        assert ann.ask("DELETE", room.path).status_code == 204
        wait(lambda: "Keystone" in room.reason("second"), room.all)
        assert room.status() == "DELETE_IN_PROGRESS"
        assert HELP in room.reason("second")
    finally:
        proxy.come()
    room.until("", "DELETE_COMPLETE")
    expect_nothing_left(acting, room)


def test_work_in_a_disabled_project_waits_until_a_member_comes_back(
    acting: Served, room: Room
) -> None:
    bob = room.of(room.bob)
    room.begin(room.of(room.ann))
    assert bob.status() == 200
    room.enable("project", False)
    room.go_on(bob)
    room.until_told("second", f"the token of user {room.ann.name}")
    room.enable("project", True)
    returned = room.of(room.bob)
    room.take_over(returned)
    room.delete(returned)
    expect_nothing_left(acting, room)


def test_a_group_of_a_disabled_user_waits_and_another_member_deletes_it(
    acting: Served, room: Room
) -> None:
    bob = room.of(room.bob)
    room.create(room.of(room.ann), GROUP)
    room.until("CREATE_COMPLETE")
    assert len(room.trusts()) == 1
    room.enable("user", False)
    room.signal(bob, "more")
    wait(lambda: any(TAKE_OVER in each for each in room.events()), room.all)
    assert any(f"the trust of user {room.ann.name}" in each for each in room.events())
    assert room.status() == "CREATE_COMPLETE"
    assert f"waits: Keystone does not accept the trust of user {room.ann.name}" in room.told()
    room.delete(bob)
    # If Keystone does not let the trust of a disabled user go, the row stays until she is back.
    wait(
        lambda: all("cannot be deleted" in str(each) for each in authorities(acting, room.project)),
        lambda: authorities(acting, room.project),
    )
    room.enable("user", True)
    expect_nothing_left(acting, room)


def test_what_is_left_of_a_deleted_project_an_administrator_can_abandon(
    acting: Served, keystone: Keystone, room: Room
) -> None:
    bob = room.of(room.bob)
    room.begin(room.of(room.ann))
    assert bob.status() == 200
    keystone.ask("DELETE", f"/projects/{room.project.id}")
    room.go_on(bob)
    room.until_told("second", f"the token of user {room.ann.name}")
    assert "an administrator can delete and then abandon it" in room.reason("second")
    assert room.admin.ask("DELETE", room.path).status_code == 204
    assert room.status() == "DELETE_IN_PROGRESS"
    answer = room.admin.ask("DELETE", f"{room.path}/abandon")
    assert answer.status_code == 200, answer.text
    room.until("", "DELETE_COMPLETE")
    expect_nothing_left(acting, room)


def test_a_group_of_a_deleted_user_leaves_no_trust(
    acting: Served, keystone: Keystone, room: Room
) -> None:
    room.create(room.of(room.ann), GROUP)
    room.until("CREATE_COMPLETE")
    keystone.ask("DELETE", f"/users/{room.ann.id}")
    room.delete(room.of(room.bob))
    expect_nothing_left(acting, room)


def test_each_application_credential_is_an_authority_of_its_own(
    acting: Served, keystone: Keystone, room: Room
) -> None:
    made = [keystone.application_credential(room.ann) for _ in range(2)]
    owners = [
        *(Client(acting, room.project, keystone.token_of_credential(each)) for each in made),
        room.of(room.ann),
        room.of(room.ann),
    ]
    paths = []
    for number, owner in enumerate(owners):
        body = {"stack_name": f"stack-{number}", "template": {"heat_template_version": "wallaby"}}
        answer = owner.ask("POST", "/stacks", json=body)
        paths.append(f"/stacks/stack-{number}/{answer.json()['stack']['id']}")
    found = authorities(acting, room.project)
    assert sorted(each.stacks for each in found) == [1, 1, 2]
    assert [each.stacks for each in found if each.authority.is_delegated] == [1, 1]
    for path in paths:
        assert room.of(room.ann).ask("DELETE", path).status_code == 204
    expect_nothing_left(acting, room)


def test_in_the_end_no_trust_and_no_authority_is_left(
    acting: Served, keystone: Keystone, town: Town
) -> None:
    asked = f"/OS-TRUST/trusts?trustee_user_id={town.service.id}"
    engine = open_engine(acting.database)
    with engine.begin() as connection:
        assert list_authorities(connection) == []
    engine.dispose()
    assert keystone.ask("GET", asked)["trusts"] == []
