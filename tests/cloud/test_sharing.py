"""Listings and look-ups that many share, against real services."""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest

from hotplate.cloud import Ambiguous, Cloud, Collection, NotFound, load_settings
from hotplate.cloud.names import FLAVOR, IMAGE, NETWORK, VOLUME_TYPE
from hotplate.cloud.polling import SERVERS, VOLUMES
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, HttpWire
from tests.cloud.box.places import credentials

NETWORKS = Collection("network", "/networks", "network")


class Counting(HttpWire):
    """Counts requests to services."""

    def __init__(self, settings: CloudSettings) -> None:
        super().__init__(settings)
        self.urls: list[str] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        if method == "GET":
            self.urls.append(url)
        return await super().send(method, url, headers, body, seconds)


def test_many_networks_are_seen_with_one_call() -> None:
    async def play() -> None:
        settings = load_settings(credentials("demo"))
        wire = Counting(settings)
        async with Cloud(settings, wire) as cloud:
            neutron, began = cloud.service("network"), cloud.clock.now()
            body = {"networks": [{"name": f"t-{uuid4()}"} for _ in range(8)]}
            made = [each["id"] for each in (await neutron.post("/networks", body))["networks"]]
            try:
                wire.urls.clear()
                asks = (cloud.poller.poll(NETWORKS, each, began) for each in made)
                assert [each and each["id"] for each in await asyncio.gather(*asks)] == made
                assert len(wire.urls) == 1
            finally:
                await asyncio.gather(*(neutron.delete(f"/networks/{each}") for each in made))
            asks = (cloud.poller.poll(NETWORKS, each, cloud.clock.now()) for each in made)
            assert set(await asyncio.gather(*asks)) == {None}

    asyncio.run(play())


def test_servers_and_volumes_that_are_being_made_share_listings() -> None:
    async def wait(cloud: Cloud, kind: Collection, made: str, began: float, end: str) -> None:
        for _ in range(200):
            seen: Any = await cloud.poller.poll(kind, made, began)
            status = seen["status"] if seen else "deleted"
            if status.lower() == end:
                cloud.poller.ended(kind, end, began)
                return
            assert status.lower() != "error", seen
            await asyncio.sleep(cloud.poller.pause(kind, end, began))
        raise AssertionError(status)

    async def play() -> None:
        settings = load_settings(credentials("demo"))
        wire = Counting(settings)
        async with Cloud(settings, wire) as cloud:
            compute, storage = cloud.service("compute"), cloud.service("block-storage")
            flavor, image = await asyncio.gather(
                cloud.names.id_of(FLAVOR, "m1.tiny"), cloud.names.id_of(IMAGE, "cirros")
            )
            body = {"flavorRef": flavor, "imageRef": image, "networks": "none"}
            began = cloud.clock.now()
            servers = await asyncio.gather(
                *(
                    compute.post("/servers", {"server": {"name": f"t-{uuid4()}", **body}})
                    for _ in range(3)
                )
            )
            volumes = await asyncio.gather(
                *(storage.post("/volumes", {"volume": {"size": 1}}) for _ in range(3))
            )
            ids = [each["server"]["id"] for each in servers]
            volume_ids = [each["volume"]["id"] for each in volumes]
            try:
                wire.urls.clear()
                await asyncio.gather(
                    *(wait(cloud, SERVERS, each, began, "active") for each in ids),
                    *(wait(cloud, VOLUMES, each, began, "available") for each in volume_ids),
                )
                print(f"{len(wire.urls)} listings for {cloud.clock.now() - began:.1f} s")
                assert any("changes-since" in url for url in wire.urls)
            finally:
                await asyncio.gather(
                    *(compute.delete(f"/servers/{each}") for each in ids),
                    *(storage.delete(f"/volumes/{each}") for each in volume_ids),
                )

    asyncio.run(play())


def test_names_are_found_and_missed() -> None:
    async def play() -> None:
        async with Cloud(load_settings(credentials("demo"))) as cloud:
            names, neutron = cloud.names, cloud.service("network")
            private = await names.id_of(NETWORK, "private")
            assert await names.id_of(NETWORK, private) == private
            assert await names.id_of(VOLUME_TYPE, "__DEFAULT__")
            with pytest.raises(NotFound, match='no network "privat"; did you mean "private"'):
                await names.id_of(NETWORK, "privat")
            with pytest.raises(NotFound, match=r'did you mean "m1.small"'):
                await names.id_of(FLAVOR, "m1.smal")
            name = f"t-{uuid4()}"
            made = await neutron.post("/networks", {"networks": [{"name": name}] * 2})
            with pytest.raises(Ambiguous, match="2 networks are named"):
                await names.id_of(NETWORK, name)
            for each in made["networks"]:
                await neutron.delete(f"/networks/{each['id']}")

    asyncio.run(play())
