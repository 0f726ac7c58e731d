"""The client against real services: what goes wrong is said, and what passes is waited for."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from hotplate.cloud import (
    BadRequest,
    Cloud,
    Conflict,
    Forbidden,
    NoEndpoint,
    NotFound,
    OverQuota,
    Unauthenticated,
    Unavailable,
    load_settings,
)
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import HttpWire
from tests.cloud.box.control import down, up
from tests.cloud.box.places import KEYSTONE, credentials


def demo() -> CloudSettings:
    return load_settings(credentials("demo"))


@asynccontextmanager
async def network(cloud: Cloud, **fields: Any) -> AsyncIterator[dict[str, Any]]:
    neutron = cloud.service("network")
    made = await neutron.post("/networks", {"network": {"name": f"t-{uuid4()}", **fields}})
    try:
        yield made["network"]
    finally:
        await neutron.delete(f"/networks/{made['network']['id']}")


def test_a_network_lives() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            neutron = cloud.service("network")
            mark = str(uuid4())
            async with network(cloud, description=mark) as made:
                path = f"/networks/{made['id']}"
                body = {"network": {"admin_state_up": False}}
                changed = await neutron.put(path, body)
                assert changed["network"]["admin_state_up"] is False
                query = {"description": mark, "fields": "id"}
                found = await neutron.list_all("/networks", "networks", query)
                assert found == [{"id": made["id"]}]
            with pytest.raises(NotFound) as caught:
                await neutron.get(path)
            assert caught.value.request_id.startswith("req-")
            assert made["id"] in caught.value.words
            assert caught.value.fault == "NetworkNotFound"

    asyncio.run(play())


def test_a_clouds_yaml_is_all_that_is_needed(tmp_path: Path) -> None:
    said = {name[3:].lower(): text for name, text in credentials().items()}
    auth = {name: text for name, text in said.items() if name not in ("region_name", "interface")}
    del auth["identity_api_version"]
    clouds = {"clouds": {"box": {"auth": auth, "region_name": said["region_name"]}}}
    (tmp_path / "clouds.yaml").write_text(yaml.safe_dump(clouds))

    async def play() -> None:
        async with Cloud.load({"HOME": str(tmp_path)}, folder=tmp_path) as cloud:
            flavors = await cloud.service("compute").list_all("/flavors/detail", "flavors")
            assert "m1.tiny" in [each["name"] for each in flavors]

    asyncio.run(play())


def test_an_application_credential_and_a_token_identify() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            token = await cloud.token()
            keystone = cloud.service("identity")
            path = f"/users/{token.user_id}/application_credentials"
            asked = {"application_credential": {"name": f"t-{uuid4()}", "secret": "s"}}
            made = (await keystone.post(path, asked))["application_credential"]
            auth = {
                "auth_url": KEYSTONE,
                "application_credential_id": made["id"],
                "application_credential_secret": "s",
            }
            by_credential = replace(demo(), auth_type="v3applicationcredential", auth=auth)
            async with Cloud(by_credential) as other:
                assert await other.project_id() == token.project_id
                assert await other.service("network").exists()
            auth = {"auth_url": KEYSTONE, "token": token.value, "project_id": token.project_id}
            async with Cloud(replace(demo(), auth_type="token", auth=auth)) as other:
                assert await other.service("image").list_all("/images", "images")
            await keystone.delete(f"{path}/{made['id']}")

    asyncio.run(play())


def test_bad_credentials_are_said_to_be_so() -> None:
    async def play() -> None:
        wrong = replace(demo(), auth={**demo().auth, "password": "wrong"})
        async with Cloud(wrong) as cloud:
            with pytest.raises(Unauthenticated, match='cloud "envvars" are not accepted'):
                await cloud.service("network").get("/networks")

    asyncio.run(play())


def test_a_service_and_a_region_that_are_not_there() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            with pytest.raises(NoEndpoint, match="no database service; its catalogue has"):
                await cloud.service("database").get("/instances")
        async with Cloud(replace(demo(), region="RegionTwo")) as cloud:
            with pytest.raises(NoEndpoint, match=r'no region "RegionTwo"; .* RegionOne'):
                await cloud.service("network").get("/networks")

    asyncio.run(play())


class Forgetful(HttpWire):
    """Gives services another token than Keystone's, once."""

    spoilt = False

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Any:
        if "X-Auth-Token" in headers and not self.spoilt:
            self.spoilt = True
            headers = {**headers, "X-Auth-Token": "gAAAAAexpired"}
        return await super().send(method, url, headers, body, seconds)


def test_a_token_that_has_expired_is_renewed_in_the_middle() -> None:
    async def play() -> None:
        async with Cloud(demo(), Forgetful(demo())) as cloud:
            before = (await cloud.token()).value
            assert await cloud.service("network").list_all("/networks", "networks")
            assert (await cloud.token()).value != before

    asyncio.run(play())


@pytest.mark.parametrize(
    ("kind", "path", "key"),
    [
        ("compute", "/flavors", "flavors"),
        ("network", "/security-group-rules", "security_group_rules"),
    ],
)
def test_pages(kind: str, path: str, key: str) -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            service = cloud.service(kind)
            whole = await service.list_all(path, key)
            pages = [page async for page in service.pages(path, key, {"limit": 2})]
            assert len(pages) > 1
            assert {each["id"] for page in pages for each in page} == {e["id"] for e in whole}

    asyncio.run(play())


def test_microversions() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            compute, storage = cloud.service("compute"), cloud.service("block-storage")
            assert str(await compute.microversion()) == "2.96"
            assert str(await storage.microversion()) == "3.71"
            assert await compute.supports("2.91")
            assert not await compute.supports("2.999")
            made = await compute.post(
                "/os-keypairs", {"keypair": {"name": f"t-{uuid4()}"}}, microversion="2.91"
            )
            assert "private_key" in made["keypair"]
            name = made["keypair"]["name"]
            with pytest.raises(BadRequest):
                await compute.post("/os-keypairs", {"keypair": {"name": f"{name}-2"}})
            assert await compute.delete(f"/os-keypairs/{name}")
            assert not await compute.delete(f"/os-keypairs/{name}")

    asyncio.run(play())


def test_services_refuse_in_their_own_words() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            neutron = cloud.service("network")
            with pytest.raises(BadRequest, match="network_type") as bad:
                await neutron.post("/networks", {"network": {"provider:network_type": 3}})
            assert bad.value.status == 400
            with pytest.raises(Forbidden):
                await cloud.service("identity").get("/users")
            with pytest.raises(NotFound, match="No image found"):
                await cloud.service("image").get(f"/images/{uuid4()}")
            async with network(cloud) as made:
                subnet = {"network_id": made["id"], "ip_version": 4, "cidr": "10.8.0.0/24"}
                await neutron.post("/subnets", {"subnet": subnet})
                port = await neutron.post("/ports", {"port": {"network_id": made["id"]}})
                with pytest.raises(Conflict, match=r"in use") as busy:
                    await neutron.call("DELETE", f"/networks/{made['id']}")
                assert busy.value.fault == "NetworkInUse"
                await neutron.delete(f"/ports/{port['port']['id']}")

    asyncio.run(play())


def test_a_quota_is_named() -> None:
    async def play() -> None:
        alt, administrator = (load_settings(credentials(user)) for user in ("alt", "admin"))
        async with Cloud(alt) as cloud, Cloud(administrator) as admin:
            project = await cloud.project_id()
            path = f"/quotas/{project}"
            await admin.service("network").put(path, {"quota": {"router": 0}})
            try:
                with pytest.raises(OverQuota) as caught:
                    await cloud.service("network").post("/routers", {"router": {}})
                assert caught.value.quota == "router"
            finally:
                await admin.service("network").delete(path)
            path = f"/os-quota-sets/{project}"
            await admin.service("block-storage").put(path, {"quota_set": {"volumes": 0}})
            try:
                with pytest.raises(OverQuota) as caught:
                    await cloud.service("block-storage").post("/volumes", {"volume": {"size": 1}})
                assert caught.value.quota == "volumes"
            finally:
                await admin.service("block-storage").delete(path)

    asyncio.run(play())


def test_a_service_that_is_down_comes_back() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            dns, neutron = cloud.service("dns"), cloud.service("network")
            await dns.get("/zones")
            await asyncio.to_thread(down, ["designate"])
            await asyncio.sleep(1)  # till the end of the kept connection is known on this side
            began = time.monotonic()
            with pytest.raises(Unavailable, match=r"127\.0\.0\.1") as caught:
                await dns.post("/zones", {"name": "x."})
            assert not caught.value.in_doubt
            assert time.monotonic() - began < 45
            assert await neutron.list_all("/networks", "networks")
            waiting = asyncio.create_task(dns.get("/zones"))
            await asyncio.to_thread(up, ["designate"])
            await asyncio.gather(waiting, return_exceptions=True)
            assert "zones" in await dns.get("/zones")

    asyncio.run(play())


def test_many_calls_share_a_few_connections() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            neutron = cloud.service("network")
            query = {"fields": "id"}
            await asyncio.gather(
                *(neutron.list_all("/networks", "networks", query) for _ in range(60))
            )

    asyncio.run(play())


def test_what_is_sent_and_answered_is_json() -> None:
    async def play() -> None:
        async with Cloud(demo()) as cloud:
            reply = await cloud.service("network").call("GET", "/extensions")
            assert reply.status == 200
            assert reply.request_id.startswith("req-")
            assert json.dumps(reply.body)

    asyncio.run(play())
