"""python-heatclient, unchanged, over the API in the process of the test."""

from typing import Any

import requests
from heatclient.client import Client
from keystoneauth1.session import Session
from keystoneauth1.token_endpoint import Token
from requests.adapters import BaseAdapter

from tests.api.conftest import PROJECT, Api

_HOST = "http://testserver"


class _InProcess(BaseAdapter):
    """Takes the place of the network."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self._api = api

    def send(self, request: Any, *_: Any, **__: Any) -> requests.Response:
        found = self._api.request(
            request.method, request.url, content=request.body, headers=dict(request.headers)
        )
        answer = requests.Response()
        answer.status_code = found.status_code
        answer.headers.update(found.headers)
        answer._content = found.content
        answer.url = request.url
        answer.request = request
        return answer

    def close(self) -> None:
        """Nothing is open."""


def heat_client(api: Api) -> Any:
    """Return a client that believes it speaks to Heat."""
    session = requests.Session()
    session.mount(_HOST, _InProcess(api))
    auth = Token(f"{_HOST}/v1/{PROJECT}", "token")
    return Client("1", session=Session(auth=auth, session=session))
