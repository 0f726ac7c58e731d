"""Those who wait for objects of one collection share its listings."""

import asyncio
from typing import Any

from hotplate.cloud import Unavailable
from hotplate.cloud.polling import SERVERS, VOLUMES, Collection, Poller
from hotplate.cloud.wire import Answer
from hotplate.resources.lease import LeaseLost, under
from tests.unit.cloud.scripted import Request, ScriptedWire, answer, cloud_on

PORTS = Collection("network", "/ports", "port")


def ports(*ids: str) -> Answer:
    return answer({"ports": [{"id": each, "status": "ACTIVE"} for each in ids]})


def polled(wire: ScriptedWire, *ids: str, collection: Collection = PORTS) -> list[Any]:
    async def play() -> list[Any]:
        poller = cloud_on(wire).poller
        began = wire.time.at
        return list(await asyncio.gather(*(poller.poll(collection, each, began) for each in ids)))

    return asyncio.run(play())


def test_many_are_seen_with_one_call() -> None:
    names = [f"p{number:02}" for number in range(50)]
    wire = ScriptedWire(ports(*names))
    assert [each["id"] for each in polled(wire, *names)] == names
    (request,) = wire.requests
    assert request.url.startswith("http://neutron/v2.0/ports?id=p00&id=p01&")


def test_one_alone_is_asked_for_by_itself() -> None:
    wire = ScriptedWire(answer({"port": {"id": "a", "status": "DOWN"}}))
    assert polled(wire, "a", "a") == [{"id": "a", "status": "DOWN"}] * 2
    assert [each.url for each in wire.requests] == ["http://neutron/v2.0/ports/a"]


def test_what_a_listing_leaves_out_is_read_before_it_counts_as_deleted() -> None:
    wire = ScriptedWire(ports("a"), answer({"port": {"id": "b"}}), answer({}, 404))
    assert polled(wire, "a", "b", "c") == [{"id": "a", "status": "ACTIVE"}, {"id": "b"}, None]


def test_what_we_have_made_is_gone_once_a_listing_of_everything_leaves_it_out() -> None:
    wire = ScriptedWire(answer({"volumes": [{"id": "a"}]}), answer({"volume": {"id": "c"}}))

    async def play() -> list[Any]:
        poller, began = cloud_on(wire).poller, wire.time.at
        asked = (("a", True), ("b", True), ("c", False))
        polls = (poller.poll(VOLUMES, each, began, is_own=own) for each, own in asked)
        return list(await asyncio.gather(*polls))

    assert asyncio.run(play()) == [{"id": "a"}, None, {"id": "c"}]


def test_long_lists_of_ids_are_several_calls() -> None:
    names = [f"p{number:03}" for number in range(100)]
    wire = ScriptedWire(ports(*names[:60]), ports(*names[60:]))
    assert None not in polled(wire, *names)
    assert len(wire.requests) == 2


def test_nova_is_asked_what_has_changed() -> None:
    servers = [{"id": "a", "status": "ACTIVE"}, {"id": "b", "status": "DELETED"}, {"id": "x"}]
    wire = ScriptedWire(answer({"servers": servers}))
    assert [each["status"] for each in polled(wire, "a", "b", collection=SERVERS)] == [
        *("ACTIVE", "DELETED"),
    ]
    # A minute earlier than it began: the service's clock may be behind.
    assert wire.requests[0].url.endswith("/servers/detail?changes-since=2023-11-14T22%3A12%3A20Z")


def test_what_was_just_seen_serves_those_who_come_a_little_later() -> None:
    wire = ScriptedWire(ports("a", "b"), answer({"port": {"id": "a"}}), answer({"port": {}}))

    async def play() -> None:
        poller = cloud_on(wire).poller
        began = wire.time.at - 5
        await asyncio.gather(poller.poll(PORTS, "a", began), poller.poll(PORTS, "b", began))
        wire.time.at += 0.2
        await poller.poll(PORTS, "a", began)
        assert len(wire.requests) == 1
        # Whoever has changed it since wants to know what it looks like now.
        await poller.poll(PORTS, "a", wire.time.at)
        assert len(wire.requests) == 2
        wire.time.at += 1
        await poller.poll(PORTS, "b", began)
        assert len(wire.requests) == 3

    asyncio.run(play())


def test_those_who_come_during_a_call_are_served_by_the_next_one() -> None:
    more: list[asyncio.Task[Any]] = []

    async def play() -> None:
        poller: Poller

        async def first(request: Request) -> Answer:
            more.extend(
                asyncio.create_task(poller.poll(PORTS, each, wire.time.at)) for each in "cd"
            )
            for _ in range(3):
                await asyncio.sleep(0)
            return ports("a", "b", "c", "d")

        wire = ScriptedWire(first, ports("c", "d"))
        poller = cloud_on(wire).poller
        began = wire.time.at
        await asyncio.gather(*(poller.poll(PORTS, each, began) for each in "ab"))
        await asyncio.gather(*more)
        assert len(wire.requests) == 2

    asyncio.run(play())


def test_those_who_come_during_a_listing_that_shows_theirs_are_served_by_it() -> None:
    async def play() -> list[Any]:
        more: list[asyncio.Task[Any]] = []
        poller: Poller

        async def first(request: Request) -> Answer:
            # "c" has been changing for a while; "d" was asked to only now.
            more.append(asyncio.create_task(poller.poll(VOLUMES, "c", began)))
            more.append(asyncio.create_task(poller.poll(VOLUMES, "d", wire.time.at)))
            for _ in range(3):
                await asyncio.sleep(0)
            return answer({"volumes": [{"id": each, "at": 1} for each in "abcd"]})

        wire = ScriptedWire(first, answer({"volume": {"id": "d", "at": 2}}))
        poller, began = cloud_on(wire).poller, wire.time.at - 5
        await asyncio.gather(*(poller.poll(VOLUMES, each, began) for each in "ab"))
        return list(await asyncio.gather(*more))

    assert asyncio.run(play()) == [{"id": "c", "at": 1}, {"id": "d", "at": 2}]


def test_the_first_of_those_who_are_due_lists_for_the_others() -> None:
    wire = ScriptedWire(answer({"servers": [{"id": "a"}, {"id": "b"}]}))

    async def play() -> None:
        poller, began = cloud_on(wire).poller, wire.time.at - 5
        pauses = [poller.pause(SERVERS, "create", began + each) for each in (0, 0.1)]
        wire.time.at += pauses[0]
        await poller.poll(SERVERS, "a", began)
        wire.time.at += 0.2
        await poller.poll(SERVERS, "b", began)

    asyncio.run(play())
    assert len(wire.requests) == 1


def test_a_failure_reaches_all_who_wait_and_the_next_ask_begins_anew() -> None:
    wire = ScriptedWire(*(answer({}, 503) for _ in range(5)), ports("a", "b"))

    async def play() -> None:
        poller = cloud_on(wire).poller

        async def both() -> list[Any]:
            asks = (poller.poll(PORTS, each, wire.time.at) for each in "ab")
            return list(await asyncio.gather(*asks, return_exceptions=True))

        assert [type(each) for each in await both()] == [Unavailable, Unavailable]
        assert [each["id"] for each in await both()] == ["a", "b"]

    asyncio.run(play())


def test_whoever_gives_up_does_not_disturb_the_others() -> None:
    wire = ScriptedWire(answer({"port": {"id": "b"}}))

    async def play() -> None:
        poller = cloud_on(wire).poller
        first = asyncio.create_task(poller.poll(PORTS, "a", wire.time.at))
        second = asyncio.create_task(poller.poll(PORTS, "b", wire.time.at))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == {"id": "b"}

    asyncio.run(play())


class NoLease:
    def confirm(self) -> None:
        raise LeaseLost

    async def hold(self) -> None:
        raise LeaseLost


def test_a_listing_for_many_is_under_nobodys_lease() -> None:
    wire = ScriptedWire(answer({"port": {"id": "a"}}))

    async def play() -> None:
        with under(NoLease()):
            assert await cloud_on(wire).poller.poll(PORTS, "a", wire.time.at) == {"id": "a"}

    asyncio.run(play())


def test_pauses_are_learnt_for_each_change() -> None:
    wire = ScriptedWire()

    async def play() -> None:
        poller = cloud_on(wire).poller
        began = wire.time.at
        wire.time.at += 20
        poller.ended(SERVERS, "create", began)
        assert 8 <= poller.pause(SERVERS, "create", wire.time.at) <= 16
        assert poller.pause(SERVERS, "delete", wire.time.at) <= 2

    asyncio.run(play())
