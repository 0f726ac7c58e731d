"""Tokens: what Keystone is asked, and what becomes of its answers."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from hotplate.cloud.errors import BadConfiguration, ServiceFailed, Unauthenticated, Unavailable
from hotplate.cloud.identity import Identity
from hotplate.cloud.wire import Answer, NotSent
from tests.unit.cloud.scripted import Time, answer, settings

TOKEN = {"expires_at": "2033-01-01T00:00:00.000000Z", "project": {"id": "p1"}, "user": {"id": "u"}}


class Keystone:
    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []
        self.urls: list[str] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        await asyncio.sleep(0)
        self.urls.append(url)
        self.asked.append(json.loads(body)["auth"])
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    async def close(self) -> None:
        pass


def ok() -> Answer:
    return answer({"token": TOKEN}, 201, x_subject_token="t")


def ask(keystone: Keystone, **changes: Any) -> Any:
    time = Time()
    identity = Identity(settings(**changes), keystone, time.now, time.sleep)
    return asyncio.run(identity.token())


@pytest.mark.parametrize(
    ("kind", "auth", "asked"),
    [
        (
            "password",
            {"username": "u", "password": "p", "project_name": "q", "user_domain_name": "D"},
            {
                "identity": {
                    "methods": ["password"],
                    "password": {"user": {"name": "u", "domain": {"name": "D"}, "password": "p"}},
                },
                "scope": {"project": {"name": "q", "domain": {"id": "default"}}},
            },
        ),
        (
            "v3token",
            {"token": "t", "project_id": "i"},
            {
                "identity": {"methods": ["token"], "token": {"id": "t"}},
                "scope": {"project": {"id": "i"}},
            },
        ),
        (
            "v3applicationcredential",
            {
                "application_credential_name": "n",
                "application_credential_secret": "s",
                "user_id": "u",
                "project_name": "ignored",
            },
            {
                "identity": {
                    "methods": ["application_credential"],
                    "application_credential": {"name": "n", "secret": "s", "user": {"id": "u"}},
                }
            },
        ),
        (
            "password",
            {"user_id": "u", "password": "p", "system_scope": "all"},
            {
                "identity": {
                    "methods": ["password"],
                    "password": {"user": {"id": "u", "password": "p"}},
                },
                "scope": {"system": {"all": True}},
            },
        ),
    ],
)
def test_what_keystone_is_asked(kind: str, auth: dict[str, str], asked: Any) -> None:
    keystone = Keystone(ok())
    token = ask(keystone, auth_type=kind, auth={"auth_url": "http://k/identity", **auth})
    assert keystone.asked == [asked]
    assert keystone.urls == ["http://k/identity/v3/auth/tokens"]
    assert (token.value, token.project_id, token.user_id) == ("t", "p1", "u")


@pytest.mark.parametrize(
    "url", ["http://k:5000", "http://k:5000/", "http://k:5000/v3", "http://k:5000/v2.0/"]
)
def test_an_auth_url_may_have_a_version_or_none(url: str) -> None:
    keystone = Keystone(ok())
    ask(keystone, auth={"auth_url": url, "username": "u", "password": "p"})
    assert keystone.urls == ["http://k:5000/v3/auth/tokens"]


def test_bad_credentials_are_said_to_be_so_at_once() -> None:
    keystone = Keystone(answer({"error": {"message": "The request you have made…"}}, 401))
    with pytest.raises(Unauthenticated, match='credentials of the cloud "c" are not accepted'):
        ask(keystone)


def test_a_keystone_that_is_away_is_asked_again() -> None:
    keystone = Keystone(NotSent("refused"), answer({}, 503), ok())
    assert ask(keystone).value == "t"
    with pytest.raises(
        Unavailable, match=r"http://keystone/v3/auth/tokens does not answer: refused"
    ):
        ask(Keystone(*(NotSent("refused") for _ in range(3))))


def test_what_is_no_keystone_is_said_to_be_none() -> None:
    with pytest.raises(ServiceFailed, match="no Keystone v3"):
        ask(Keystone(Answer(200, {}, b"<html>hello</html>")))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(BadConfiguration, match="has no password, which the auth type password"):
        ask(Keystone(), auth={"auth_url": "http://k", "username": "u"})
    with pytest.raises(BadConfiguration, match="no auth_url"):
        ask(Keystone(), auth={"username": "u", "password": "p"})


def test_a_failure_is_not_kept() -> None:
    keystone = Keystone(answer({}, 401), ok())

    async def play() -> None:
        time = Time()
        identity = Identity(settings(), keystone, time.now, time.sleep)
        first = await asyncio.gather(*(identity.token() for _ in range(3)), return_exceptions=True)
        assert all(isinstance(each, Unauthenticated) for each in first)
        assert (await identity.token()).value == "t"

    asyncio.run(play())
    assert len(keystone.asked) == 2


def test_whoever_asked_first_may_give_up() -> None:
    keystone = Keystone(ok())

    async def play() -> str:
        time = Time()
        identity = Identity(settings(), keystone, time.now, time.sleep)
        first = asyncio.create_task(identity.token())
        second = asyncio.create_task(identity.token())
        await asyncio.sleep(0)
        first.cancel()
        return (await second).value

    assert asyncio.run(play()) == "t"
    assert len(keystone.asked) == 1


def test_a_service_without_keystone_needs_none() -> None:
    token = ask(Keystone(), auth_type="admin_token", auth={"token": "x", "project_id": "p"})
    assert (token.value, token.project_id) == ("x", "p")
