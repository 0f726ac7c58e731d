"""Authorities and a real Keystone: trusts are made, used, lost and deleted."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection

from hotplate.authority import AuthorityClouds, AuthoritySettings, sweep
from hotplate.cloud import Cloud, CloudSettings
from hotplate.cloud.calling import Clock
from hotplate.cloud.identity import Token
from hotplate.engine.world import Actor
from hotplate.identity import AuthorityLost, Credentials, authority_id
from hotplate.store.authorities import list_authorities
from hotplate.store.database import create_tables, open_engine
from tests.cloud.box.places import KEYSTONE, PASSWORD

T = TypeVar("T")


def login(user: str, project: str, **more: str) -> CloudSettings:
    auth = {"auth_url": KEYSTONE, "username": user, "password": PASSWORD, "project_name": project}
    return CloudSettings(user, "password", {**auth, **more}, "RegionOne")


class Store:
    """A database in memory, without threads."""

    is_contended = False

    def __init__(self) -> None:
        self.engine = open_engine("sqlite://")
        create_tables(self.engine)

    async def transact(self, work: Callable[[Connection], T]) -> T:
        with self.engine.begin() as connection:
            return work(connection)

    read = read_soon = transact

    def stream(self, work: Any) -> Any:
        raise NotImplementedError


@dataclass
class Office:
    """Keystone's administrator, a server with its own user, and one member of a new project."""

    admin: Cloud
    clouds: AuthorityClouds
    store: Store
    user: dict[str, Any] = field(default_factory=dict)
    project: dict[str, Any] = field(default_factory=dict)

    async def open(self) -> None:
        name = f"ann-{uuid.uuid4().hex[:8]}"
        keystone = self.admin.service("identity")
        made = {"name": name, "domain_id": "default"}
        self.project = (await keystone.post("/projects", {"project": made}))["project"]
        asked = {"user": {**made, "password": PASSWORD}}
        self.user = (await keystone.post("/users", asked))["user"]
        await self.set_role("member")

    async def set_role(self, name: str, has: bool = True) -> None:
        keystone = self.admin.service("identity")
        roles = (await keystone.get("/roles", {"name": name}))["roles"]
        users = f"/projects/{self.project['id']}/users/{self.user['id']}"
        path = f"{users}/roles/{roles[0]['id']}"
        await (keystone.put(path) if has else keystone.delete(path))

    async def enable(self, enabled: bool) -> None:
        body = {"user": {"enabled": enabled}}
        await self.admin.service("identity").patch(f"/users/{self.user['id']}", body)

    async def credentials(self, settings: CloudSettings | None = None) -> Credentials:
        """Log in as the member; return what a server learns when it validates the token."""
        settings = settings or login(self.user["name"], self.project["name"])
        own = Cloud(settings)
        token = await own.token()
        headers = {"X-Subject-Token": token.value}
        reply = await own.service("identity").call("GET", "/auth/tokens", headers=headers)
        await own.close()
        told = reply.body["token"]
        return Credentials(
            token.value,
            datetime.fromisoformat(told["expires_at"]).timestamp(),
            told["user"]["id"],
            told["user"]["name"],
            told["user"]["domain"]["id"],
            told["project"]["id"],
            told["project"]["name"],
            tuple(sorted(each["id"] for each in told["roles"])),
            "application_credential" in told["methods"],
            tuple(told["catalog"]),
        )

    async def token_later(self, given: Credentials) -> Token:
        """Return the token of an authority days later, in another process."""
        clouds = office_clouds(self.store, expired=3 * 86_400)
        try:
            return await clouds.of(Actor(given.project_id, authority_id(given))).token()
        finally:
            await clouds.close()

    async def trusts(self, given: Credentials) -> list[dict[str, Any]]:
        keystone = self.admin.service("identity")
        found = await keystone.get("/OS-TRUST/trusts", {"trustor_user_id": given.user_id})
        return list(found["trusts"])

    async def close(self) -> None:
        keystone = self.admin.service("identity")
        await keystone.delete(f"/users/{self.user['id']}")
        await keystone.delete(f"/projects/{self.project['id']}")
        await self.admin.close()
        await self.clouds.close()


def office_clouds(store: Store, expired: float = 0.0) -> AuthorityClouds:
    """Return the clouds of a server whose clock is so many seconds ahead."""
    settings = AuthoritySettings(service_tokens=not expired)
    clouds = AuthorityClouds(
        login("nova", "service"), settings, Clock(lambda: time.time() + expired)
    )
    clouds.attach(store)
    return clouds


@asynccontextmanager
async def opened() -> AsyncIterator[Office]:
    store = Store()
    office = Office(Cloud(login("admin", "admin")), office_clouds(store), store)
    await office.open()
    try:
        yield office
    finally:
        await office.close()


def test_a_trust_is_made_once_used_later_and_deleted_with_the_authority() -> None:
    async def story() -> None:
        async with opened() as office:
            given = await office.credentials()
            assert await office.clouds.delegate(given) == ""
            assert await office.clouds.delegate(await office.credentials()) == ""
            [trust] = await office.trusts(given)
            assert trust["impersonation"]
            token = await office.token_later(given)
            assert (token.user_id, token.project_id) == (given.user_id, given.project_id)
            assert token.value != given.token
            assert await sweep(office.clouds) == 1
            assert await office.trusts(given) == []
            assert await office.store.read(list_authorities) == []

    asyncio.run(story())


def test_a_trust_is_deleted_by_its_own_means_when_the_users_token_is_gone() -> None:
    async def story() -> None:
        async with opened() as office:
            given = await office.credentials()
            await office.clouds.delegate(given)
            headers = {"X-Subject-Token": given.token}
            await office.admin.service("identity").call("DELETE", "/auth/tokens", headers=headers)
            assert await sweep(office.clouds) == 1
            assert await office.trusts(given) == []

    asyncio.run(story())


@pytest.mark.parametrize("cause", ["disabled", "role"])
def test_a_lost_trust_says_why_and_is_found_again(cause: str) -> None:
    async def story() -> None:
        async with opened() as office:
            given = await office.credentials()
            await office.clouds.delegate(given)
            lose = office.enable if cause == "disabled" else _has_role(office)
            await lose(False)
            with pytest.raises(
                AuthorityLost, match="Keystone does not accept the trust of user"
            ) as lost:
                await office.token_later(given)
            assert "any member of the project can take the stack over" in lost.value.reason
            [listed] = await office.store.read(list_authorities)
            assert listed.authority.state.value == "suspended"
            if cause == "disabled":
                # Nor can it be deleted now; the reason is kept, and the next sweep tries again.
                assert await sweep(office.clouds) == 0
                [listed] = await office.store.read(list_authorities)
                assert listed.authority.reason.startswith("the trust cannot be deleted:")
            await lose(True)
            assert (await office.token_later(given)).user_id == given.user_id
            # A token of the second in which Keystone revoked others is refused, too.
            removed = 0
            for _ in range(20):
                removed += await sweep(office.clouds)
                await asyncio.sleep(0 if removed else 1)
            assert removed == 1
            assert await office.trusts(given) == []

    asyncio.run(story())


def test_an_application_credential_makes_no_trust() -> None:
    async def story() -> None:
        async with opened() as office:
            settings = login(office.user["name"], office.project["name"])
            own = Cloud(settings)
            body = {"application_credential": {"name": "c", "unrestricted": True}}
            path = f"/users/{office.user['id']}/application_credentials"
            made = (await own.service("identity").post(path, body))["application_credential"]
            await own.close()
            auth = {
                "auth_url": KEYSTONE,
                "application_credential_id": made["id"],
                "application_credential_secret": made["secret"],
            }
            given = await office.credentials(CloudSettings("c", "v3applicationcredential", auth))
            assert given.is_delegated
            assert "can make none" in await office.clouds.delegate(given)
            assert await office.trusts(given) == []

    asyncio.run(story())


def _has_role(office: Office) -> Any:
    async def change(has: bool) -> None:
        await office.set_role("member", has)

    return change
