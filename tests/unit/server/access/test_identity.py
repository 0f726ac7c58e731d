import asyncio

import pytest
from starlette.requests import Request

from hotplate.api.http.faults import Fault
from hotplate.identity import Caller
from hotplate.server.access.identity import anybody


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "headers": raw})


def test_anybody_is_let_into_the_project_that_the_address_names() -> None:
    assert asyncio.run(anybody(request(), "p")) == Caller("admin", "p", is_admin=True)
    named = asyncio.run(anybody(request(x_auth_user="alice", x_auth_token="any"), "p"))
    assert named.user == "alice"


def test_a_project_that_no_database_could_keep_is_refused() -> None:
    with pytest.raises(Fault) as fault:
        asyncio.run(anybody(request(), "p" * 65))
    assert fault.value.status == 400
