import asyncio

import pytest
from starlette.requests import Request

from hotplate.api.http.faults import Fault
from hotplate.page import SignInRefused
from hotplate.server.access.secret import SecretAccess


def request(token: str) -> Request:
    return Request({"type": "http", "headers": [(b"x-auth-token", token.encode())]})


def test_a_secret_is_exchanged_once() -> None:
    access = SecretAccess()
    secret = access.new_secret()
    token = asyncio.run(access.exchange({"secret": secret})).token
    assert asyncio.run(access.identify(request(token), "p")).project == "p"
    with pytest.raises(SignInRefused, match="used already"):
        asyncio.run(access.exchange({"secret": secret}))


@pytest.mark.parametrize("token", ["", "wrong", "\xff"])
def test_nobody_gets_in_without_the_token(token: str) -> None:
    access = SecretAccess()
    access.new_secret()
    with pytest.raises(Fault) as fault:
        asyncio.run(access.identify(request(token), "p"))
    assert fault.value.status == 401


@pytest.mark.parametrize("secret", ["", "x", None, "\udcff"])
def test_what_was_never_given_out_is_no_secret(secret: object) -> None:
    access = SecretAccess()
    access.new_secret()
    with pytest.raises(SignInRefused):
        asyncio.run(access.exchange({"secret": secret}))


def test_only_the_newest_secrets_count() -> None:
    access = SecretAccess()
    first = access.new_secret()
    for _ in range(20):
        access.new_secret()
    with pytest.raises(SignInRefused):
        asyncio.run(access.exchange({"secret": first}))
