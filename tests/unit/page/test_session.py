import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hotplate.identity import Caller
from hotplate.page.session import SignedIn, SignIn, SignInRefused, session_pages


async def ada(request: Request, project: str | None) -> Caller:
    return Caller("ada", project or "kitchen")


async def exchange(given: Mapping[str, Any]) -> SignedIn:
    if given.get("password") != "right":
        raise SignInRefused(401, "no")
    return SignedIn("token", 12.0)


def asked(
    sign_in: SignIn, path: str, method: str = "GET", body: bytes = b"", **headers: str
) -> Response:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "headers": pairs, "path": path}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def answer() -> Response:
        return await session_pages(sign_in, ada)[path](Request(scope, receive))

    return asyncio.run(answer())


def document(answer: Response) -> Any:
    return json.loads(bytes(answer.body))


def test_anybody_learns_how_to_sign_in() -> None:
    answer = document(asked(SignIn("keystone"), "/page/sign-in"))
    assert answer["method"] == "keystone"


def test_who_needs_no_token_begins_in_the_project_of_the_server() -> None:
    assert document(asked(SignIn(), "/page/session"))["project"] == "default"
    assert document(asked(SignIn("token"), "/page/session"))["project"] == "kitchen"


def test_credentials_are_exchanged_for_a_token_that_nobody_keeps() -> None:
    sign_in = SignIn("keystone", exchange=exchange)
    answer = asked(sign_in, "/page/sign-in", "POST", b'{"password": "right"}')
    assert document(answer) == {"token": "token", "expires": 12.0}
    assert answer.headers["cache-control"] == "no-store"


def test_refused_credentials_say_why() -> None:
    sign_in = SignIn("keystone", exchange=exchange)
    answer = asked(sign_in, "/page/sign-in", "POST", b'{"password": "wrong"}')
    assert answer.status_code == 401
    assert document(answer)["error"]["message"] == "no"


def test_a_server_with_tokens_alone_takes_no_credentials() -> None:
    assert asked(SignIn("token"), "/page/sign-in", "POST", b"{}").status_code == 405


def test_what_is_no_object_or_too_large_is_refused() -> None:
    sign_in = SignIn("keystone", exchange=exchange)
    assert asked(sign_in, "/page/sign-in", "POST", b"[]").status_code == 400
    assert asked(sign_in, "/page/sign-in", "POST", b"{").status_code == 400
    assert asked(sign_in, "/page/sign-in", "POST", b" " * 20_000).status_code == 413


def test_a_page_of_another_site_cannot_sign_in() -> None:
    sign_in = SignIn("keystone", exchange=exchange)
    body = b'{"password": "right"}'
    headers = {"host": "plate.example.org", "origin": "https://evil.example.org"}
    assert asked(sign_in, "/page/sign-in", "POST", body, **headers).status_code == 403
    headers["origin"] = "https://plate.example.org"
    assert asked(sign_in, "/page/sign-in", "POST", body, **headers).status_code == 200
