"""Names to ids: once, for all who ask."""

import asyncio
from typing import Any

import pytest

from hotplate.cloud import NotFound, Unavailable
from hotplate.cloud.names import (
    DOMAIN,
    FLAVOR,
    FLOATING_IP,
    IMAGE,
    KEYPAIR,
    NETWORK,
    PROJECT,
    QOS_POLICY,
    QOS_SPECS,
    SECURITY_GROUP,
    SEGMENT,
    SERVER,
    Ambiguous,
    Named,
)
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

ID = "6f1c5b0a-0000-4000-8000-000000000001"


def test_a_name_is_looked_up_once_for_all_who_ask() -> None:
    wire = ScriptedWire(answer({"networks": [{"id": ID, "name": "n"}]}))

    async def play() -> None:
        names = cloud_on(wire).names
        found = await asyncio.gather(*(names.id_of(NETWORK, "n") for _ in range(20)))
        assert set(found) == {ID}
        assert await names.id_of(NETWORK, "n") == ID

    asyncio.run(play())
    assert [each.url for each in wire.requests] == ["http://neutron/v2.0/networks?name=n"]


def test_a_name_is_looked_up_again_after_a_while() -> None:
    wire = ScriptedWire(*(answer({"networks": [{"id": ID, "name": "n"}]}) for _ in range(2)))

    async def play() -> None:
        names = cloud_on(wire).names
        await names.id_of(NETWORK, "n")
        wire.time.at += 31
        await names.id_of(NETWORK, "n")

    asyncio.run(play())
    assert len(wire.requests) == 2


def test_an_id_comes_before_a_name() -> None:
    wire = ScriptedWire(
        answer({"network": {"id": ID, "name": "x"}}),
        answer({"id": ID, "name": "i"}),
        answer({}, 404),
        answer({"networks": [{"id": "other", "name": ID.replace("1", "2")}]}),
    )

    async def play() -> None:
        names = cloud_on(wire).names
        assert await names.id_of(NETWORK, ID) == ID
        assert await names.id_of(IMAGE, ID) == ID
        assert await names.id_of(NETWORK, ID.replace("1", "2")) == "other"

    asyncio.run(play())


def test_what_cannot_be_listed_by_name_is_listed_once_for_all_names() -> None:
    flavors = [{"id": "1", "name": "m1.tiny"}, {"id": "2", "name": "m1.small"}]
    wire = ScriptedWire(answer({"flavors": flavors}))

    async def play() -> None:
        names = cloud_on(wire).names
        found = await asyncio.gather(
            *(names.id_of(FLAVOR, each) for each in ("m1.tiny", "m1.small", "2"))
        )
        assert found == ["1", "2", "2"]
        with pytest.raises(NotFound, match=r'no flavor "m1.smal"; did you mean "m1.small"'):
            await names.id_of(FLAVOR, "m1.smal")

    asyncio.run(play())
    assert len(wire.requests) == 1


def test_what_is_not_there_is_said_with_what_is() -> None:
    wire = ScriptedWire(
        answer({"networks": []}), answer({"networks": [{"id": ID, "name": "private"}]})
    )

    async def play() -> None:
        with pytest.raises(NotFound, match='no network "privat"; did you mean "private"'):
            await cloud_on(wire).names.id_of(NETWORK, "privat")

    asyncio.run(play())


def test_a_name_that_several_have_says_nothing() -> None:
    wire = ScriptedWire(answer({"networks": [{"id": "a", "name": "n"}, {"id": "b", "name": "n"}]}))

    async def play() -> None:
        with pytest.raises(Ambiguous, match='2 networks are named "n": a, b; say which by its id'):
            await cloud_on(wire).names.id_of(NETWORK, "n")

    asyncio.run(play())


def test_a_failure_is_not_kept() -> None:
    wire = ScriptedWire(
        *(answer({}, 503) for _ in range(5)), answer({"networks": [{"id": ID, "name": "n"}]})
    )

    async def play() -> None:
        names = cloud_on(wire).names
        with pytest.raises(Unavailable):
            await names.id_of(NETWORK, "n")
        assert await names.id_of(NETWORK, "n") == ID

    asyncio.run(play())


def test_nova_takes_a_name_for_a_pattern() -> None:
    servers = [{"id": "a", "name": "web.1"}, {"id": "b", "name": "web-1"}]
    wire = ScriptedWire(answer({"servers": servers}))

    async def play() -> None:
        assert await cloud_on(wire).names.id_of(SERVER, "web.1") == "a"

    asyncio.run(play())
    assert wire.requests[0].url.endswith("/servers?name=%5Eweb%5C.1%24")


@pytest.mark.parametrize(
    ("kind", "asked", "told", "urls"),
    [
        (SEGMENT, "s", {"segments": [{"id": ID, "name": "s"}]}, ["neutron/v2.0/segments?name=s"]),
        (QOS_POLICY, ID, {"policy": {"id": ID}}, [f"neutron/v2.0/qos/policies/{ID}"]),
        (
            FLOATING_IP,
            "192.0.2.1",
            {"floatingips": [{"id": ID, "floating_ip_address": "192.0.2.1"}]},
            ["neutron/v2.0/floatingips?floating_ip_address=192.0.2.1"],
        ),
        (
            SECURITY_GROUP,
            "web",
            {"security_groups": [{"id": ID, "name": "web"}]},
            ["neutron/v2.0/security-groups?project_id=p1&name=web"],
        ),
        (KEYPAIR, "mine", {"keypair": {"name": "mine"}}, ["nova/v2.1/os-keypairs/mine"]),
        (QOS_SPECS, "q", {"qos_specs": [{"id": ID, "name": "q"}]}, ["cinder/v3/p1/qos-specs"]),
        (DOMAIN, "default", {"domain": {"id": "default"}}, ["keystone/v3/domains/default"]),
    ],
)
def test_each_sort_is_found_where_its_service_has_it(
    kind: Named, asked: str, told: Any, urls: list[str]
) -> None:
    wire = ScriptedWire(answer(told))
    found = asyncio.run(cloud_on(wire).names.id_of(kind, asked))
    assert found in (ID, asked)
    assert [each.url.removeprefix("http://") for each in wire.requests] == urls


def test_a_name_may_have_its_domain_in_braces() -> None:
    wire = ScriptedWire(
        answer({}, 404),
        answer({"domain": {"id": "default", "name": "Default"}}),
        answer({"projects": [{"id": ID, "name": "web"}]}),
    )
    assert asyncio.run(cloud_on(wire).names.id_of(PROJECT, "web{default}")) == ID
    assert wire.requests[-1].url.endswith("/projects?domain_id=default&name=web")


def test_what_has_no_names_is_found_by_its_id_alone() -> None:
    wire = ScriptedWire(answer({"volumes": [{"id": ID, "name": "data"}]}))
    found = asyncio.run(cloud_on(wire).look_up("cinder.volume", "data"))
    assert found.fault == (
        f'there is no volume with the id "data"; that with this name has the id {ID}'
    )


def test_a_key_pair_that_is_missing_is_said_with_those_that_are_there() -> None:
    wire = ScriptedWire(answer({}, 404), answer({"keypairs": [{"keypair": {"name": "mine"}}]}))
    found = asyncio.run(cloud_on(wire).look_up("nova.keypair", "mime"))
    assert found.fault == 'there is no key pair "mime"; did you mean "mine"?'
