import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from hotplate.cloud.wire import Answer, NotSent
from hotplate.page import SignInRefused
from hotplate.server.access.keystone.sign_in import KeystoneSignIn
from tests.unit.server.access.keystone.small_keystone import settings

PASSWORD = {
    "kind": "password",
    "username": "ada",
    "password": "lace",
    "user_domain_name": "Default",
    "project_name": "kitchen",
    "project_domain_name": "Default",
}


class OneKeystone:
    """Gives the same answer to everybody, and remembers what it was asked."""

    def __init__(self, status: int = 201, project: str = "p1") -> None:
        self.status = status
        self.project = project
        self.asked: list[Any] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        self.asked.append(json.loads(body)["auth"])
        if not self.status:
            raise NotSent("no route")
        token: dict[str, Any] = {"expires_at": "2030-01-01T00:00:00Z", "catalog": []}
        if self.project:
            token["project"] = {"id": self.project}
        content = json.dumps({"token": token} if self.status == 201 else {"error": {}}).encode()
        return Answer(self.status, {"x-subject-token": "fresh"}, content)

    async def close(self) -> None:
        pass


def signed_in(keystone: OneKeystone, given: Mapping[str, Any]) -> str:
    return asyncio.run(KeystoneSignIn(settings(), keystone)(given)).token


def test_a_password_is_exchanged_for_a_token_of_the_project() -> None:
    keystone = OneKeystone()
    assert signed_in(keystone, PASSWORD) == "fresh"
    [asked] = keystone.asked
    user = asked["identity"]["password"]["user"]
    assert user == {"name": "ada", "domain": {"name": "Default"}, "password": "lace"}
    assert asked["scope"] == {"project": {"name": "kitchen", "domain": {"name": "Default"}}}


def test_an_application_credential_brings_its_project() -> None:
    keystone = OneKeystone()
    given = {
        "kind": "v3applicationcredential",
        "application_credential_id": "c1",
        "application_credential_secret": "hush",
    }
    assert signed_in(keystone, given) == "fresh"
    credential = keystone.asked[0]["identity"]["application_credential"]
    assert credential == {"id": "c1", "secret": "hush"}


@pytest.mark.parametrize(
    ("keystone", "given", "status", "words"),
    [
        (OneKeystone(401), PASSWORD, 401, "does not accept"),
        (OneKeystone(project=""), PASSWORD, 400, "Name the project"),
        (OneKeystone(), {"kind": "password", "username": "ada"}, 400, "missing"),
        (OneKeystone(), {"kind": "v3oidcpassword", "auth_url": "http://x"}, 400, "one of"),
    ],
)
def test_a_refusal_says_what_to_do(
    keystone: OneKeystone, given: Mapping[str, Any], status: int, words: str
) -> None:
    with pytest.raises(SignInRefused, match=words) as refusal:
        signed_in(keystone, given)
    assert refusal.value.status == status
    assert "lace" not in str(refusal.value)


def test_nobody_chooses_which_keystone_is_asked() -> None:
    keystone = OneKeystone()
    signed_in(keystone, {**PASSWORD, "auth_url": "http://evil.example.org"})
    assert "evil" not in json.dumps(keystone.asked)
