"""Names to ids: once, for all who ask."""

import asyncio

import pytest

from hotplate.cloud import NotFound, Unavailable
from hotplate.cloud.names import FLAVOR, IMAGE, NETWORK, SERVER, Ambiguous
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
