"""Signing in on the page with a real Keystone."""

from typing import Any

import httpx
import pytest

from tests.acceptance.serving import Served
from tests.identity.conftest import Client, Town
from tests.identity.people import Keystone, Person


def sign_in(served: Served, **given: str) -> httpx.Response:
    with httpx.Client(trust_env=False, timeout=60) as http:
        return http.post(f"{served.url}/page/sign-in", json=given)


def password_of(person: Person, **changes: str) -> dict[str, Any]:
    return {
        "kind": "password",
        "username": person.name,
        "password": person.password,
        "user_domain_name": "Default",
        "project_name": person.project.name,
        "project_domain_name": "Default",
    } | changes


def test_a_password_gives_a_token_for_the_project(served: Served, town: Town) -> None:
    answer = sign_in(served, **password_of(town.member))
    token = answer.json()["token"]
    assert Client(served, town.first, token).status() == 200
    assert Client(served, town.second, token).status() == 403
    with httpx.Client(trust_env=False, headers={"x-auth-token": token}) as http:
        session = http.get(f"{served.url}/page/session").json()
    assert session == {"user": town.member.name, "project": town.first.id, "is_admin": False}
    assert answer.headers["cache-control"] == "no-store"
    assert token not in served.log()
    assert town.member.password not in served.log()


def test_an_application_credential_brings_its_project(
    served: Served, town: Town, keystone: Keystone
) -> None:
    credential = keystone.application_credential(town.member)
    answer = sign_in(
        served,
        kind="v3applicationcredential",
        application_credential_id=credential["id"],
        application_credential_secret=credential["secret"],
    )
    assert Client(served, town.first, answer.json()["token"]).status() == 200


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"password": "wrong"}, 401),
        ({"project_name": "nowhere"}, 401),
        ({"username": ""}, 400),
    ],
)
def test_a_refusal_tells_what_to_do(
    served: Served, town: Town, changes: dict[str, str], status: int
) -> None:
    answer = sign_in(served, **password_of(town.member, **changes))
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_nobody_learns_whose_project_exists(served: Served, town: Town) -> None:
    theirs = sign_in(served, **password_of(town.member, project_name=town.second.name))
    nowhere = sign_in(served, **password_of(town.member, project_name="nowhere"))
    assert (theirs.status_code, theirs.json()) == (nowhere.status_code, nowhere.json())
