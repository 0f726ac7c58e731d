"""Calls to a service: what is tried again, what is not, and what is said of it."""

import asyncio
from typing import Any

import pytest

from hotplate.cloud import (
    Conflict,
    NoEndpoint,
    NotFound,
    OverQuota,
    ServiceFailed,
    Unauthenticated,
    Unavailable,
    Unsupported,
)
from hotplate.cloud.wire import Answer, NoAnswer, NotSent
from hotplate.resources.lease import LeaseLost, under
from tests.unit.cloud.scripted import Request, ScriptedWire, ShortLease, answer, cloud_on, settings


def test_a_call_has_token_address_and_json() -> None:
    wire = ScriptedWire(answer({"network": {"id": "n1"}}, 201))
    made = asyncio.run(cloud_on(wire).service("network").post("/networks", {"network": {}}))
    assert made == {"network": {"id": "n1"}}
    (request,) = wire.requests
    assert (request.method, request.url) == ("POST", "http://neutron/v2.0/networks")
    assert request.headers["X-Auth-Token"] == "token-1"
    assert request.body == {"network": {}}


def test_all_calls_share_a_token_that_is_asked_for_once() -> None:
    wire = ScriptedWire(*(answer({}) for _ in range(20)))

    async def play() -> None:
        network = cloud_on(wire).service("network")
        await asyncio.gather(*(network.get(f"/networks/{number}") for number in range(20)))

    asyncio.run(play())
    assert wire.tokens == 1


def test_a_token_is_renewed_before_it_expires() -> None:
    wire = ScriptedWire(answer({}), answer({}))

    async def play() -> None:
        network = cloud_on(wire).service("network")
        await network.get("/a")
        wire.time.at += 3600 - 60
        await network.get("/b")

    asyncio.run(play())
    assert [each.headers["X-Auth-Token"] for each in wire.requests] == ["token-1", "token-2"]


def test_a_token_that_is_refused_is_renewed_once() -> None:
    refused = answer({"error": {"message": "no"}}, 401)
    wire = ScriptedWire(refused, answer({}, 201), refused, refused)

    async def play() -> None:
        network = cloud_on(wire).service("network")
        await network.post("/networks", {})
        with pytest.raises(Unauthenticated):
            await network.post("/networks", {})

    asyncio.run(play())
    assert [each.headers["X-Auth-Token"] for each in wire.requests] == [
        *("token-1", "token-2"),
        *("token-2", "token-3"),
    ]


@pytest.mark.parametrize("fault", [NoAnswer("reset"), answer({}, 503), answer({}, 504)])
def test_a_post_that_may_have_been_done_is_not_made_again(fault: Any) -> None:
    wire = ScriptedWire(fault)
    with pytest.raises(Unavailable) as caught:
        asyncio.run(cloud_on(wire).service("network").post("/networks", {}))
    assert caught.value.in_doubt
    assert len(wire.requests) == 1


@pytest.mark.parametrize(
    "fault", [NoAnswer("reset"), NotSent("refused"), answer({}, 503), answer({}, 429)]
)
@pytest.mark.parametrize("method", ["GET", "DELETE", "repeatable"])
def test_what_is_harmless_is_tried_again(fault: Any, method: str) -> None:
    wire = ScriptedWire(fault, answer({}))
    service = cloud_on(wire).service("network")
    is_post = method == "repeatable"
    asyncio.run(service.call("POST" if is_post else method, "/x", repeatable=is_post))
    assert len(wire.requests) == 2


@pytest.mark.parametrize(
    "fault",
    [
        NotSent("refused"),
        answer({}, 429, retry_after="7"),
        answer({}, 413, retry_after="Tue, 14 Nov 2023 22:13:27 GMT"),
    ],
)
def test_a_post_that_was_certainly_not_done_is_made_again(fault: Any) -> None:
    wire = ScriptedWire(fault, answer({}, 201))
    asyncio.run(cloud_on(wire).service("network").post("/networks", {}))
    assert len(wire.requests) == 2
    if isinstance(fault, Answer):
        assert wire.time.slept == [7.0]


def test_a_service_that_cannot_ask_keystone_has_done_nothing() -> None:
    said = {
        "message": "The Keystone service is temporarily unavailable.<br /><br />\n",
        "code": "503",
    }
    wire = ScriptedWire(answer(said, 503), answer({}, 201))
    asyncio.run(cloud_on(wire).service("network").post("/networks", {}))
    assert len(wire.requests) == 2
    wire = ScriptedWire(*(answer(said, 503) for _ in range(10)))
    with pytest.raises(Unavailable) as caught:
        asyncio.run(cloud_on(wire).service("network").post("/networks", {}))
    assert not caught.value.in_doubt


def test_trying_again_ends() -> None:
    wire = ScriptedWire(*(answer({}, 503) for _ in range(10)))
    with pytest.raises(Unavailable) as caught:
        asyncio.run(cloud_on(wire).service("network").get("/networks"))
    assert not caught.value.in_doubt
    assert len(wire.requests) == 5
    assert sum(wire.time.slept) < 40


def test_a_service_that_wants_to_be_left_alone_for_long_is() -> None:
    wire = ScriptedWire(answer({}, 503, retry_after="3600"))
    with pytest.raises(Unavailable):
        asyncio.run(cloud_on(wire).service("network").get("/networks"))
    assert not wire.time.slept


def test_deleting_what_is_gone_is_no_error() -> None:
    wire = ScriptedWire(answer({}, 204), answer({"itemNotFound": {"message": "x"}}, 404))

    async def play() -> list[bool]:
        compute = cloud_on(wire).service("compute")
        return [await compute.delete("/servers/1"), await compute.delete("/servers/1")]

    assert asyncio.run(play()) == [True, False]


def test_errors_have_the_words_the_code_and_the_request() -> None:
    words = "Quota exceeded for resources: ['port']."
    body = {"NeutronError": {"type": "OverQuota", "message": words, "detail": ""}}
    wire = ScriptedWire(answer(body, 409, x_openstack_request_id="req-1"))
    with pytest.raises(OverQuota) as caught:
        asyncio.run(cloud_on(wire).service("network").post("/ports", {}))
    error = caught.value
    assert (error.quota, error.status, error.request_id) == ("port", 409, "req-1")
    assert str(error) == f"network: {words} (HTTP 409, OverQuota, request req-1)"


def test_pages_are_followed_to_the_end_and_no_further() -> None:
    following = [{"rel": "next", "href": "http://wrong-host/v2.0/ports?marker=2"}]
    wire = ScriptedWire(
        answer({"ports": [{"id": 1}, {"id": 2}], "ports_links": following}),
        answer({"ports": [{"id": 3}]}),
    )
    found = asyncio.run(
        cloud_on(wire).service("network").list_all("/ports", "ports", {"a": [1, 2], "b": None})
    )
    assert [each["id"] for each in found] == [1, 2, 3]
    assert [each.url for each in wire.requests] == [
        "http://neutron/v2.0/ports?a=1&a=2",
        "http://neutron/v2.0/ports?marker=2",
    ]


def test_pages_that_go_round_in_a_circle_end() -> None:
    page = answer({"images": [{"id": 1}], "next": "/v2/images?marker=1"})
    wire = ScriptedWire(page, page, page)
    with pytest.raises(ServiceFailed, match="no end"):
        asyncio.run(cloud_on(wire).service("image").list_all("/images", "images"))


def test_a_listing_ends_where_the_caller_has_enough() -> None:
    page = answer({"images": [{"id": 1}, {"id": 2}], "next": "/v2/images?marker=1"})
    wire = ScriptedWire(page)
    found = asyncio.run(cloud_on(wire).service("image").list_all("/images", "images", most=1))
    assert found == [{"id": 1}]


def test_microversions_are_negotiated_once_and_sent() -> None:
    wire = ScriptedWire(*(answer({}) for _ in range(4)))

    async def play() -> None:
        cloud = cloud_on(wire)
        compute, storage = cloud.service("compute"), cloud.service("block-storage")
        await asyncio.gather(compute.get("/servers/1"), compute.get("/servers/2"))
        await compute.get("/os-keypairs", microversion="2.91")
        await storage.get("/volumes/1")
        assert str(await storage.microversion()) == "3.59"
        assert not await storage.supports("3.60")
        with pytest.raises(Unsupported, match=r"needs microversion 3\.60.*3\.0 to 3\.59"):
            await storage.get("/volumes", microversion="3.60")

    asyncio.run(play())
    sent = [each.headers["OpenStack-API-Version"] for each in wire.requests]
    assert sent == ["compute 2.96", "compute 2.96", "compute 2.91", "volume 3.59"]
    assert wire.discoveries == 2


def test_the_newest_microversion_can_be_bounded_in_clouds_yaml() -> None:
    wire = ScriptedWire(answer({}))
    cloud = cloud_on(wire, options={"compute_default_microversion": "2.60"})
    asyncio.run(cloud.service("compute").get("/servers"))
    assert wire.requests[0].headers["X-OpenStack-Nova-API-Version"] == "2.60"


def test_a_service_that_is_not_there_is_named_with_those_that_are() -> None:
    wire = ScriptedWire()
    with pytest.raises(NoEndpoint, match="no load-balancer service; its catalogue has compute"):
        asyncio.run(cloud_on(wire).service("load-balancer").get("/loadbalancers"))
    with pytest.raises(NoEndpoint, match='no region "R9"; the service is in R1'):
        asyncio.run(cloud_on(wire, region="R9").service("network").get("/networks"))
    assert not asyncio.run(cloud_on(wire, region="R9").service("network").exists())


def test_no_more_calls_than_allowed_are_under_way() -> None:
    running, most = 0, 0

    async def slow(request: Request) -> Answer:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            await asyncio.sleep(0)
        running -= 1
        return answer({})

    wire = ScriptedWire(*[slow] * 60)

    async def play() -> None:
        network = cloud_on(wire).service("network")
        await asyncio.gather(*(network.get("/x") for _ in range(60)))

    asyncio.run(play())
    assert most == 12


def test_no_call_is_made_without_the_lease() -> None:
    wire = ScriptedWire(answer({}))

    async def play() -> None:
        network = cloud_on(wire).service("network")
        with under(ShortLease(0)), pytest.raises(LeaseLost):
            await network.post("/networks", {})
        # The token was asked for under nobody's lease, so another one may use it.
        await network.get("/networks")

    asyncio.run(play())
    assert wire.tokens == 1
    assert [each.method for each in wire.requests] == ["GET"]


def test_other_statuses_are_errors_of_their_own() -> None:
    wire = ScriptedWire(answer({"conflictingRequest": {"message": "busy"}}, 409), answer({}, 404))

    async def play() -> None:
        compute = cloud_on(wire).service("compute")
        with pytest.raises(Conflict, match="busy"):
            await compute.post("/servers/1/action", {})
        with pytest.raises(NotFound):
            await compute.get("/servers/1")

    asyncio.run(play())


def test_settings_do_not_show_secrets() -> None:
    assert "pw" not in repr(settings())
