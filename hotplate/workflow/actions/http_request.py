"""std.http and std.mistral_http: a request to another server."""

import asyncio
import json
import math
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import httpx

from hotplate.workflow.actions.action import REQUIRED, Action, Caller, Outcome, Pause, failed
from hotplate.workflow.actions.addresses import Reach
from hotplate.workflow.actions.guarded import GuardedNetwork, GuardedTransport, NotAllowed
from hotplate.workflow.actions.settings import ActionSettings
from hotplate.workflow.machine import Result

_GOOD: Final = range(200, 307)
# Those whose repetition may do something a second time.
_MARKED: Final = {"POST", "PATCH"}
_PARAMETERS: Final[Mapping[str, Any]] = {
    "url": REQUIRED,
    "method": "GET",
    "params": None,
    "body": None,
    "json": None,
    "headers": None,
    "cookies": None,
    "auth": None,
    "timeout": None,
    "allow_redirects": None,
    "proxies": None,
    "verify": None,
}


class _Unfit(Exception):
    """The input says something that no request can be made of."""


class _TooLarge(Exception):
    """The answer is longer than allowed."""


def http_actions(settings: ActionSettings, network: GuardedNetwork | None = None) -> list[Action]:
    """Return the actions that send requests."""
    requests = _Requests(settings, network or GuardedNetwork(Reach(settings.may_reach)))
    return [
        Action(
            "std.http",
            "Sends an HTTP request; an answer from 200 to 306 is success.",
            _PARAMETERS,
            perform=requests.send,
        ),
        Action(
            "std.mistral_http",
            "Sends an HTTP request with headers that say how to report the end of the action, "
            "and ends when that is reported.",
            _PARAMETERS,
            perform=partial(requests.send, waits=True),
            is_asynchronous=True,
        ),
    ]


class _Requests:
    def __init__(self, settings: ActionSettings, network: GuardedNetwork) -> None:
        self._settings = settings
        self._network = network

    async def send(self, given: Mapping[str, Any], caller: Caller, waits: bool = False) -> Outcome:
        """Send the request and return what came back."""
        try:
            seconds = self._seconds(given["timeout"])
            async with asyncio.timeout(seconds):
                result = await self._send(given, caller, waits)
        except (_Unfit, NotAllowed, _TooLarge) as error:
            return failed(str(error))
        except TimeoutError:
            return failed(f"the request took more than {seconds:g} seconds")
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return failed(f"the request could not be sent: {_error_text(error)}")
        except Exception as error:  # what else a library raises for unexpected input
            return failed(f"the request could not be sent: {type(error).__name__}: {error}")
        return Pause(None) if waits and not result.failed else result

    async def _send(self, given: Mapping[str, Any], caller: Caller, waits: bool) -> Result:
        if given["proxies"]:
            raise _Unfit("proxies cannot be used here: names must be looked up by this server")
        if not isinstance(given["verify"], bool | None):
            raise _Unfit("verify must be true or false: no file of this server can be named")
        verify = given["verify"] is not False
        async with httpx.AsyncClient(
            transport=GuardedTransport(self._network, verify),
            cookies=_texts("cookies", given["cookies"]),
            timeout=None,  # noqa: S113 (the whole has one)
            trust_env=False,
        ) as client:
            request = self._request(client, given, caller, waits)
            for redirects in range(self._settings.most_redirects + 1):
                started = time.monotonic()
                response = await client.send(request, stream=True)
                seconds = time.monotonic() - started
                try:
                    if not given["allow_redirects"] or response.next_request is None:
                        return _result(response, await self._read(response), redirects, seconds)
                finally:
                    await response.aclose()  # the library would read all of what is redirected
                request = response.next_request
        raise _Unfit(f"more than {self._settings.most_redirects} redirects")

    def _request(
        self, client: httpx.AsyncClient, given: Mapping[str, Any], caller: Caller, waits: bool
    ) -> httpx.Request:
        url = given["url"]
        if not isinstance(url, str) or not url.lower().startswith(("http://", "https://")):
            raise _Unfit(f"{url!r} cannot be reached: only http:// and https:// can")
        if given["body"] and given["json"]:
            raise _Unfit("only one of json and body can be given")
        headers = _texts("headers", given["headers"])
        method = str(given["method"] or "GET").upper()
        if waits:
            headers.update(_callback(caller))
        if method in _MARKED and not any(name.lower() == "idempotency-key" for name in headers):
            headers["Idempotency-Key"] = caller.action_id
        request = client.build_request(
            method,
            url,
            params=given["params"],
            content=_body(given["body"]),
            json=given["json"],
            headers=headers,
        )
        auth = given["auth"]
        if auth is not None:
            pair = auth.split(":") if isinstance(auth, str) else auth
            if not isinstance(pair, list) or len(pair) != 2:
                raise _Unfit("auth must be written like name:password")
            request = next(httpx.BasicAuth(str(pair[0]), str(pair[1])).auth_flow(request))
        return request

    async def _read(self, response: httpx.Response) -> bytes:
        most = self._settings.largest_response
        declared = response.headers.get("content-length", "")
        parts: list[bytes] = []
        length = int(declared) if declared.isdecimal() else 0
        if length <= most:
            length = 0
            async for part in response.aiter_bytes():
                parts.append(part)
                length += len(part)
                if length > most:
                    break
        if length > most:
            raise _TooLarge(f"the answer is longer than {most} bytes")
        return b"".join(parts)

    def _seconds(self, wanted: Any) -> float:
        if wanted is None:
            return self._settings.seconds
        try:
            seconds = float(wanted)
        except OverflowError:
            seconds = self._settings.longest_seconds
        except (TypeError, ValueError):
            seconds = math.nan
        if math.isnan(seconds):
            raise _Unfit(f"the timeout {str(wanted)[:80]!r} is not a number of seconds")
        return min(max(seconds, 0.001), self._settings.longest_seconds)


def _callback(caller: Caller) -> dict[str, str]:
    return {
        "Mistral-Workflow-Name": caller.workflow_name,
        "Mistral-Workflow-Execution-Id": caller.run_id,
        "Mistral-Task-Id": caller.task_id,
        "Mistral-Action-Execution-Id": caller.action_id,
        "Mistral-Callback-URL": caller.callback_url,
    }


def _texts(what: str, given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _Unfit(f"{what} must be a map")
    return {str(name): str(value) for name, value in given.items() if value is not None}


def _body(given: Any) -> bytes | None:
    if given is None or isinstance(given, str):
        return given.encode() if given else None
    return json.dumps(given).encode()


def _result(response: httpx.Response, content: bytes, redirects: int, seconds: float) -> Result:
    encoding = _encoding(response.headers.get("content-type", ""))
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        try:
            value = content.decode(encoding or "utf-8", errors="replace")
        except LookupError:
            value = content.decode(errors="replace")
    # As the server wrote them; the library's own map has them in small letters.
    headers: dict[str, str] = {}
    for name, text in response.headers.raw:
        key, words = name.decode("latin-1"), text.decode("latin-1")
        headers[key] = f"{headers[key]}, {words}" if key in headers else words
    answer = {
        "content": value,
        "status": response.status_code,
        "headers": headers,
        "url": str(response.url),
        "history": [[]] * redirects,
        "encoding": encoding,
        "reason": response.reason_phrase,
        "cookies": dict(response.cookies),
        "elapsed": round(seconds, 6),
    }
    if response.status_code in _GOOD:
        return Result(value=answer)
    return Result(error=answer, failed=True)


def _encoding(content_type: str) -> str | None:
    kind, _, rest = content_type.partition(";")
    for part in rest.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("'\"")
    if kind.strip().lower().startswith("text/"):
        return "ISO-8859-1"
    return "utf-8" if kind.strip().lower() == "application/json" else None


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__
