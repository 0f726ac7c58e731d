"""Clouds by authority: which token services are called with, and what Keystone is asked for it."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, Engine

from hotplate.authority import AuthorityClouds, AuthoritySettings, sweep
from hotplate.cloud import Cloud, Unavailable
from hotplate.cloud.calling import Clock
from hotplate.cloud.wire import Answer
from hotplate.engine.authority import authority_from
from hotplate.engine.world import Actor
from hotplate.identity import AuthorityLost, Credentials, authority_id
from hotplate.store.authorities import (
    keep_trust,
    put_authority,
    read_authority,
    suspend_authority,
)
from hotplate.store.database import create_tables, open_engine
from tests.unit.cloud.scripted import KEYSTONE, Time, answer, settings

T = TypeVar("T")
NOVA = "http://nova/v2.1"
WINDOW = 172_800.0


class Store:
    """A database in memory, without threads."""

    is_contended = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def transact(self, work: Callable[[Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    read = read_soon = transact

    def stream(self, work: Any) -> Any:
        raise NotImplementedError


class World:
    """A Keystone and a Nova that accepts what it is told to."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        self.time = Time()
        self.store = Store(engine)
        self.accepted: set[tuple[str, str]] = set()
        self.calls: list[tuple[str, str]] = []
        self.keystone: list[tuple[str, str, Any]] = []
        self.refusal: Answer | None = None
        self.roles = ["admin", "member"]
        self.delegated: list[str] = []
        clock = Clock(self.time.now, self.time.sleep)
        self.clouds = AuthorityClouds(settings(), AuthoritySettings(**options), clock, self)
        self.clouds.attach(self.store)

    def credentials(self, token: str = "t1", lifetime: float = 3600, **changes: Any) -> Credentials:
        catalog = (
            {
                "type": "compute",
                "endpoints": [
                    {"interface": "public", "region_id": region, "url": f"http://{host}/v2.1"}
                    for region, host in (("R1", "nova"), ("R2", "nova2"))
                ],
            },
        )
        values = {"role_ids": ("r1", "r2"), **changes}
        end = self.time.at + lifetime
        return Credentials(token, end, "u1", "ann", "default", "p1", catalog=catalog, **values)

    def cloud(self, credentials: Credentials) -> Cloud:
        self.clouds.offer(credentials)
        return self.clouds.of(Actor("p1", authority_id(credentials)))

    async def put(self, credentials: Credentials) -> None:
        given, now = authority_from(credentials), self.time.at
        await self.store.transact(lambda connection: put_authority(connection, given, now))

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        await asyncio.sleep(0)
        if not url.startswith(KEYSTONE):
            if url.endswith("/v2.1/"):
                return answer({"version": {"id": "v2.1", "min_version": "2.1", "version": "2.96"}})
            call = headers["X-Auth-Token"], headers.get("X-Service-Token", "")
            self.calls.append(call)
            return answer({"servers": []}) if call in self.accepted else answer({}, 401)
        document: Any = json.loads(body) if body else None
        path = url.removeprefix(KEYSTONE)
        self.keystone.append((method, path, document))
        if path == "/auth/tokens":
            return self._login(document["auth"])
        self.keystone[-1] = (method, path, headers["X-Auth-Token"])
        if path == "/auth/tokens?nocatalog=":
            roles = [{"id": f"r{at}", "name": name} for at, name in enumerate(self.roles, 1)]
            return answer({"token": {"roles": roles}})
        if method == "POST":
            self.delegated = [each["id"] for each in document["trust"]["roles"]]
        if self.refusal is not None:
            return self.refusal
        return answer({"trust": {"id": "trust-1", **(document or {})}}, 201)

    async def close(self) -> None:
        pass

    def _login(self, auth: Any) -> Answer:
        is_trust = "OS-TRUST:trust" in auth["scope"]
        if is_trust and self.refusal is not None:
            return self.refusal
        token = {
            "expires_at": "2033-01-01T00:00:00.000000Z",
            "project": {"id": "p1"},
            "user": {"id": "own" if not is_trust else "u1"},
            "catalog": self.credentials().catalog,
        }
        name = "by-trust" if is_trust else "own"
        return answer({"token": token}, 201, x_subject_token=name)


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = open_engine("sqlite://")
    create_tables(engine)
    yield engine
    engine.dispose()


def play(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(story)


def test_the_users_own_token_is_used_and_keystone_is_not_asked(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        world.accepted = {("t1", "")}
        await world.cloud(world.credentials()).service("compute").get("/servers")
        assert world.calls == [("t1", "")]
        assert world.keystone == []

    play(story())


def test_an_expired_token_is_accompanied_by_one_of_the_server(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        cloud = world.cloud(world.credentials())
        world.time.at += 3600
        world.accepted = {("t1", "own")}
        await cloud.service("compute").get("/servers")
        await cloud.service("compute").get("/servers")
        assert set(world.calls) == {("t1", "own")}
        assert [path for _, path, _ in world.keystone] == ["/auth/tokens"]

    play(story())


def test_when_keystone_accepts_neither_any_more_the_trust_is_used(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        assert await world.clouds.delegate(given) == ""
        cloud = world.cloud(given)
        world.time.at += 3600 + WINDOW
        world.accepted = {("by-trust", "")}
        await cloud.service("compute").get("/servers")
        await cloud.service("compute").get("/servers")
        assert world.calls == [("by-trust", "")] * 2
        logins = [each for each in world.keystone if each[1] == "/auth/tokens"]
        assert len(logins) == 2  # of the trustee, to make the trust, and with the trust

    play(story())


def test_a_401_moves_on_to_the_next_token(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        await world.clouds.delegate(given)
        world.accepted = {("by-trust", "")}
        await world.cloud(given).service("compute").get("/servers")
        assert world.calls == [("t1", ""), ("t1", "own"), ("by-trust", "")]

    play(story())


def test_a_newer_token_of_another_process_is_found_in_the_database(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        cloud = world.cloud(world.credentials())
        await world.put(world.credentials("t2", lifetime=7200))
        world.accepted = {("t2", "")}
        await cloud.service("compute").get("/servers")
        assert world.calls == [("t1", ""), ("t2", "")]

    play(story())


def test_keystone_itself_gets_no_expired_token(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        cloud = world.cloud(world.credentials())
        world.time.at += 3600
        with pytest.raises(AuthorityLost):
            await cloud.service("identity").get("/projects")

    play(story())


def test_what_is_lost_is_noted_and_tried_again_with_growing_pauses(engine: Engine) -> None:
    world = World(engine, service_tokens=False)

    async def story() -> None:
        given = world.credentials()
        await world.put(given)
        cloud = world.cloud(given)
        pauses = []
        for _ in range(6):
            with pytest.raises(AuthorityLost) as lost:
                await cloud.service("compute").get("/servers")
            pauses.append(lost.value.due - world.time.at)
            asked = len(world.calls)
            with pytest.raises(AuthorityLost):
                await cloud.service("compute").get("/servers")
            assert len(world.calls) == asked  # nobody is asked before the pause is over
            world.time.at = lost.value.due
        assert pauses[0] == 30
        assert pauses == sorted(pauses)
        assert pauses[-1] > pauses[0]
        key = authority_id(given)
        found = await world.store.read(lambda connection: read_authority(connection, key))
        assert found is not None
        assert (found.state.value, found.reason) == ("suspended", lost.value.reason)
        assert "user ann" in found.reason
        assert "any member of the project can take the stack over: update it" in found.reason

    play(story())


def test_services_are_called_in_the_region_that_the_caller_named(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        cloud = world.cloud(world.credentials(region="R2"))
        assert await cloud.region() == "R2"
        assert await cloud.service("compute").url() == "http://nova2/v2.1"
        assert await cloud.elsewhere("R1").service("compute").url() == "http://nova/v2.1"
        assert await world.cloud(world.credentials()).region() == "R1"

    play(story())


@pytest.mark.parametrize(
    ("options", "changes", "fault"),
    [
        ({"trusts": "never"}, {}, "the operator allows none"),
        ({}, {"is_delegated": True}, "can make none"),
    ],
)
def test_why_no_trust_is_made(
    engine: Engine, options: dict[str, Any], changes: dict[str, Any], fault: str
) -> None:
    world = World(engine, **options)

    async def story() -> None:
        assert fault in await world.clouds.delegate(world.credentials(**changes))
        assert world.keystone == []

    play(story())


@pytest.mark.parametrize(("bold", "roles"), [(False, ["r2"]), (True, ["r1", "r2"])])
def test_a_trust_has_roles_of_administrators_only_if_the_operator_says_so(
    engine: Engine, bold: bool, roles: list[str]
) -> None:
    world = World(engine, trust_admin_roles=bold)

    async def story() -> None:
        assert await world.clouds.delegate(world.credentials()) == ""
        assert world.delegated == roles

    play(story())


def test_who_has_roles_of_administrators_only_gets_no_trust(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        world.roles = ["admin", "Manager"]
        fault = await world.clouds.delegate(world.credentials())
        assert "all roles are an administrator's" in fault
        assert world.delegated == []

    play(story())


def test_many_requests_at_once_make_one_trust(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        assert await asyncio.gather(*(world.clouds.delegate(given) for _ in range(9))) == [""] * 9
        assert [each[0] for each in world.keystone if "trusts" in each[1]] == ["POST"]

    play(story())


def test_a_trust_of_another_process_stays_and_ours_is_deleted(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        send = world.send

        async def slowly(method: str, url: str, *more: Any) -> Answer:
            if method == "POST" and url.endswith("/OS-TRUST/trusts"):
                await world.put(given)
                key = authority_id(given)
                await world.store.transact(lambda c: keep_trust(c, key, "theirs", ""))
            return await send(method, url, *more)

        world.send = slowly  # type: ignore[method-assign, assignment]
        assert await world.clouds.delegate(given) == ""
        assert world.keystone[-1] == ("DELETE", "/OS-TRUST/trusts/trust-1", "t1")
        found = await world.store.read(lambda c: read_authority(c, authority_id(given)))
        assert found is not None
        assert found.trust == "theirs"

    play(story())


def test_a_trust_that_was_refused_is_replaced_when_its_user_comes_back(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        await world.clouds.delegate(given)
        key = authority_id(given)
        await world.store.transact(lambda c: keep_trust(c, key, "bad", "", "trust-1"))
        await world.store.transact(lambda c: suspend_authority(c, key, "why", 1.0))
        assert await world.clouds.delegate(given) == ""
        assert world.keystone[-1] == ("DELETE", "/OS-TRUST/trusts/bad", "t1")
        found = await world.store.read(lambda c: read_authority(c, key))
        assert found is not None
        assert (found.trust, found.state.value) == ("trust-1", "good")

    play(story())


def test_a_trust_that_keystone_refuses_is_no_reason_to_refuse_the_stack(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        world.refusal = answer({"error": {"message": "no"}}, 403)
        fault = await world.clouds.delegate(world.credentials())
        assert fault.startswith("Keystone made none: identity: no")

    play(story())


def test_the_last_sweep_deletes_the_trust_as_its_user_or_by_its_own_token(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        await world.clouds.delegate(given)
        await sweep(world.clouds)
        assert world.keystone[-1] == ("DELETE", "/OS-TRUST/trusts/trust-1", "t1")
        await world.clouds.delegate(given)
        world.time.at += 3600
        await sweep(world.clouds)
        assert world.keystone[-1] == ("DELETE", "/OS-TRUST/trusts/trust-1", "by-trust")

    play(story())


def test_what_a_request_is_about_to_use_is_not_swept(engine: Engine) -> None:
    """Its trust is made before the stack is stored."""
    world = World(engine)

    async def story() -> None:
        await world.clouds.delegate(world.credentials())
        world.time.at += 50
        assert await sweep(world.clouds, grace=60) == 0
        await world.clouds.delegate(world.credentials())
        world.time.at += 50
        assert await sweep(world.clouds, grace=60) == 0
        world.time.at += 50
        assert await sweep(world.clouds, grace=60) == 1

    play(story())


def test_a_keystone_that_does_not_answer_is_no_loss(engine: Engine) -> None:
    world = World(engine)

    async def story() -> None:
        given = world.credentials()
        await world.clouds.delegate(given)
        cloud = world.cloud(given)
        world.time.at += 3600 + WINDOW
        world.refusal = answer({}, 503)
        with pytest.raises(Unavailable):
            await cloud.service("compute").get("/servers")

    play(story())


def test_a_stack_of_nobody_waits(engine: Engine) -> None:
    with pytest.raises(AuthorityLost, match="update it"):
        World(engine).clouds.of(Actor("p1"))
