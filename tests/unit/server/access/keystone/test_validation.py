import asyncio

import pytest

from hotplate.cloud.identity import Identity
from hotplate.server.access.keystone.token import KnownToken
from hotplate.server.access.keystone.validation import KeystoneAway, Validator
from tests.unit.server.access.keystone.small_keystone import (
    BEGIN,
    SmallKeystone,
    in_a_loop,
    settings,
    shown,
    token,
)


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


def validator(keystone: SmallKeystone, **changes: int) -> Validator:
    found = settings(**changes)
    own = Identity(found.service_user, keystone, keystone.now, at_once)
    return Validator(found, own, keystone, keystone.now)


async def known(asked: Validator, text: str) -> KnownToken:
    found = await asked.known(text)
    assert found is not None
    return found


@in_a_loop
async def test_keystone_is_asked_once_for_a_token_within_a_minute() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    for _ in range(3):
        assert (await known(asked, "a")).user_name == "alice"
    keystone.at += 59
    await known(asked, "a")
    assert keystone.asked == ["a"]
    keystone.at += 1
    await known(asked, "a")
    assert keystone.asked == ["a", "a"]


@in_a_loop
async def test_many_requests_with_one_new_token_wait_for_one_answer() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    found = await asyncio.gather(*(asked.known("a") for _ in range(50)))
    assert len({id(each) for each in found}) == 1
    assert keystone.asked == ["a"]
    assert keystone.own == 1


@in_a_loop
async def test_a_request_that_goes_away_takes_the_answer_from_nobody() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    first = asyncio.create_task(asked.known("a"))
    second = asyncio.create_task(asked.known("a"))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is not None
    assert keystone.asked == ["a"]


@in_a_loop
async def test_a_token_ends_when_it_expires_though_the_answer_is_remembered() -> None:
    keystone = SmallKeystone(a=token(expires_at=shown(BEGIN + 10)))
    asked = validator(keystone)
    assert await asked.known("a") is not None
    keystone.at += 10
    assert await asked.known("a") is None
    assert keystone.asked == ["a"]


@in_a_loop
async def test_a_revoked_token_is_refused_after_a_minute_at_the_latest() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    await known(asked, "a")
    del keystone.tokens["a"]
    keystone.at += 60
    assert await asked.known("a") is None


@in_a_loop
async def test_a_token_that_keystone_does_not_know_is_asked_for_once_in_ten_seconds() -> None:
    keystone = SmallKeystone()
    asked = validator(keystone)
    assert await asked.known("a") is None
    assert await asked.known("a") is None
    assert keystone.asked == ["a"]
    keystone.at += 10
    await asked.known("a")
    assert keystone.asked == ["a", "a"]


@in_a_loop
async def test_tokens_that_somebody_makes_up_put_out_no_good_ones() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone, most_tokens=10)
    await known(asked, "a")
    for number in range(2000):
        assert await asked.known(f"made-up-{number}") is None
    keystone.asked.clear()
    await known(asked, "a")
    assert keystone.asked == []


@pytest.mark.parametrize("text", ["tökèn", "a\nX-Evil: 1", "\x7f"])
@in_a_loop
async def test_what_cannot_be_a_token_is_not_sent(text: str) -> None:
    keystone = SmallKeystone()
    assert await validator(keystone).known(text) is None
    assert keystone.asked == []


@in_a_loop
async def test_of_more_tokens_than_are_kept_the_longest_unused_is_forgotten() -> None:
    keystone = SmallKeystone(a=token(), b=token(), c=token())
    asked = validator(keystone, most_tokens=2)
    for text in "abac":
        await known(asked, text)
    assert keystone.asked == ["a", "b", "c"]
    await known(asked, "a")
    await known(asked, "b")
    assert keystone.asked == ["a", "b", "c", "b"]


@in_a_loop
async def test_nothing_is_remembered_if_the_operator_says_so() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone, remember_seconds=0)
    await known(asked, "a")
    await known(asked, "a")
    assert keystone.asked == ["a", "a"]


@in_a_loop
async def test_tokens_of_a_project_share_the_catalog() -> None:
    keystone = SmallKeystone(a=token(), b=token())
    asked = validator(keystone)
    assert (await known(asked, "a")).catalog is (await known(asked, "b")).catalog


@in_a_loop
async def test_the_servers_own_token_is_renewed_once_when_keystone_refuses_it() -> None:
    keystone = SmallKeystone(a=token(), b=token())
    asked = validator(keystone)
    await known(asked, "a")
    keystone.good_from = 2
    await known(asked, "b")
    assert keystone.own == 2


@in_a_loop
async def test_a_server_that_may_not_ask_says_what_its_user_lacks() -> None:
    keystone = SmallKeystone(a=token())
    keystone.good_from = 100
    with pytest.raises(KeystoneAway, match="role service"):
        await validator(keystone).known("a")
    assert keystone.own == 2


@in_a_loop
async def test_nobody_is_let_in_while_keystone_is_away_and_it_is_not_asked_at_once_again() -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    keystone.is_away = True
    with pytest.raises(KeystoneAway, match="connection refused"):
        await asked.known("a")
    keystone.is_away = False
    with pytest.raises(KeystoneAway, match="connection refused"):
        await asked.known("a")
    keystone.at += 1
    assert await asked.known("a") is not None


@pytest.mark.parametrize("status", [300, 500, 503])
@in_a_loop
async def test_an_answer_that_tells_nothing_is_no_refusal(status: int) -> None:
    keystone = SmallKeystone(a=token())
    asked = validator(keystone)
    await known(asked, "a")
    keystone.status = status
    with pytest.raises(KeystoneAway, match=str(status)):
        await asked.known("b")


@in_a_loop
async def test_an_expired_token_that_a_service_sends_on_is_asked_for_apart() -> None:
    keystone = SmallKeystone(a=token(expires_at=shown(BEGIN - 10)))
    asked = validator(keystone)
    assert await asked.known("a") is None
    assert await asked.known("a", even_expired=True) is not None
    assert keystone.queries == ["", "allow_expired=1"]
