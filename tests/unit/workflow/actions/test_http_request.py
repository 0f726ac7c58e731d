"""std.http: what is sent, what comes back, and where it never goes."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpcore
import pytest

from hotplate.workflow.actions import ActionSettings, Caller, Pause, Reach
from hotplate.workflow.actions.guarded import GuardedNetwork
from hotplate.workflow.actions.http_request import http_actions
from hotplate.workflow.machine import Result

CALLER = Caller("flow", "run-1", "task-1", "action-1", "project", "http://here/callback")
LOOPBACK = ActionSettings(may_reach=("127.0.0.0/8",))


class Handler(BaseHTTPRequestHandler):
    """Tells what it was asked, or does what the path says."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what, _, rest = self.path[1:].partition("/")
        if what == "redirect":
            self._send(302, b"", Location=rest if ":" in rest else "/" + rest)
        elif what == "text":
            self._send(200, "hé".encode("latin-1"), **{"Content-Type": "text/plain"})
        elif what == "large":
            self._send(200, b"x" * int(rest))
        elif what == "endless":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
            except OSError:
                self.close_connection = True
        elif what == "endless-redirect":
            self.send_response(302)
            self.send_header("Location", "/ok")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
            except OSError:
                self.close_connection = True
        elif what == "silent":
            self.server.done.wait(20)  # type: ignore[attr-defined]
            self.close_connection = True
        else:
            document = {
                "method": self.command,
                "path": self.path,
                "body": sent.decode(),
                "headers": dict(self.headers),
            }
            code = int(rest) if what == "code" else 200
            self._send(
                code,
                json.dumps(document).encode(),
                **{"Content-Type": "application/json", "Set-Cookie": "a=b"},
            )

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

    def _send(self, code: int, content: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        pass


class Service(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str) -> None:
        super().__init__((host, 0), Handler)
        self.done = threading.Event()
        self.url = f"http://{host}:{self.server_port}"

    def handle_error(self, *args: Any) -> None:
        pass


def serving(host: str) -> Iterator[Service]:
    service = Service(host)
    thread = threading.Thread(target=service.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield service
    service.done.set()
    service.shutdown()
    service.server_close()
    thread.join()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from serving("127.0.0.1")


def send(
    url: str,
    settings: ActionSettings = LOOPBACK,
    name: str = "std.http",
    network: GuardedNetwork | None = None,
    **given: Any,
) -> Any:
    action = next(each for each in http_actions(settings, network) if each.name == name)
    assert action.perform is not None
    return asyncio.run(action.perform(action.filled({"url": url, **given}), CALLER))  # type: ignore[arg-type]


def good(result: Result) -> Any:
    assert not result.failed, result.error
    return result.value


def bad(result: Result) -> str:
    assert result.failed, result.value
    assert isinstance(result.error, str)
    return result.error


def test_an_answer_is_told_whole(service: Service) -> None:
    answer = good(send(f"{service.url}/a?x=1", headers={"X-Number": 5}, cookies={"c": "1"}))
    assert answer["status"] == 200
    assert answer["reason"] == "OK"
    assert answer["encoding"] == "utf-8"
    assert answer["cookies"] == {"a": "b"}
    assert answer["history"] == []
    assert answer["url"] == f"{service.url}/a?x=1"
    assert answer["headers"]["Content-Type"] == "application/json"
    assert answer["elapsed"] >= 0
    assert answer["content"]["path"] == "/a?x=1"
    assert answer["content"]["headers"]["X-Number"] == "5"
    assert answer["content"]["headers"]["Cookie"] == "c=1"
    assert "Idempotency-Key" not in answer["content"]["headers"]
    json.dumps(answer)


@pytest.mark.parametrize(
    ("given", "body", "kind"),
    [
        ({"json": {"a": 1}}, {"a": 1}, "application/json"),
        ({"body": {"a": 1}}, {"a": 1}, None),
        ({"body": "5"}, 5, None),
    ],
)
def test_bodies_are_sent_as_written(service: Service, given: Any, body: Any, kind: Any) -> None:
    content = good(send(service.url, method="post", **given))["content"]
    assert content["method"] == "POST"
    assert json.loads(content["body"]) == body
    assert content["headers"].get("Content-Type") == kind


def test_parameters_and_a_password_are_sent(service: Service) -> None:
    answer = good(send(f"{service.url}/a", params={"q": "1 2", "l": [1, 2]}, auth="me:secret"))
    assert answer["content"]["path"] == "/a?q=1+2&l=1&l=2"
    assert answer["content"]["headers"]["Authorization"] == "Basic bWU6c2VjcmV0"


def test_what_could_be_done_twice_carries_the_id_of_the_call(service: Service) -> None:
    for method in ("POST", "PATCH"):
        sent = good(send(service.url, method=method))["content"]["headers"]
        assert sent["Idempotency-Key"] == "action-1"
    own = {"idempotency-key": "mine"}
    sent = good(send(service.url, method="POST", headers=own))["content"]["headers"]
    assert {k.lower(): v for k, v in sent.items()}["idempotency-key"] == "mine"


@pytest.mark.parametrize("code", [300, 306])
def test_answers_below_307_are_success(service: Service, code: int) -> None:
    assert good(send(f"{service.url}/code/{code}"))["status"] == code


@pytest.mark.parametrize("code", [307, 404, 500])
def test_others_are_failures_with_the_answer_as_error(service: Service, code: int) -> None:
    result = send(f"{service.url}/code/{code}")
    assert result.failed
    assert result.error["status"] == code
    assert result.error["content"]["path"] == f"/code/{code}"


def test_text_is_read_as_it_was_written(service: Service) -> None:
    answer = good(send(f"{service.url}/text"))
    assert answer["content"] == "hé"
    assert answer["encoding"] == "ISO-8859-1"


def test_redirects_are_followed_only_if_asked(service: Service) -> None:
    assert good(send(f"{service.url}/redirect/x"))["status"] == 302
    answer = good(send(f"{service.url}/redirect/redirect/x", allow_redirects=True))
    assert answer["content"]["path"] == "/x"
    assert answer["history"] == [[], []]


def test_redirects_end(service: Service) -> None:
    settings = ActionSettings(may_reach=("127.0.0.0/8",), most_redirects=3)
    url = f"{service.url}/redirect/redirect/redirect/redirect/x"
    assert "more than 3 redirects" in bad(send(url, settings, allow_redirects=True))


def test_mistral_http_says_how_to_report_and_waits(service: Service) -> None:
    assert send(service.url, name="std.mistral_http") == Pause(None)
    failing = send(f"{service.url}/code/500", name="std.mistral_http")
    assert failing.failed
    sent = failing.error["content"]["headers"]
    assert sent["Mistral-Callback-URL"] == "http://here/callback"
    assert sent["Mistral-Action-Execution-Id"] == "action-1"
    assert sent["Mistral-Workflow-Execution-Id"] == "run-1"
    assert sent["Mistral-Task-Id"] == "task-1"
    assert sent["Mistral-Workflow-Name"] == "flow"


@pytest.mark.parametrize(
    "url",
    ["ftp://host/a", "file:///etc/passwd", "gopher://host", "http:///nothing", "http://[::1", "a b",
     "http://\n", "https://user@", 5, None],
)  # fmt: skip
def test_only_addresses_of_http_are_reached(url: Any) -> None:
    assert bad(send(url))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"proxies": {"http": "http://127.0.0.1:1"}}, "proxies"),
        ({"verify": "/etc/passwd"}, "no file of this server"),
        ({"headers": ["a"]}, "headers must be a map"),
        ({"auth": "nobody"}, "name:password"),
        ({"timeout": "long"}, "not a number of seconds"),
        ({"timeout": "nan"}, "not a number of seconds"),
        ({"body": "a", "json": {"a": 1}}, "only one"),
        ({"method": "NO\r\nSUCH"}, "could not be sent"),
    ],
)
def test_input_that_makes_no_request_is_told(
    service: Service, given: dict[str, Any], words: str
) -> None:
    assert words in bad(send(service.url, **given))


def test_nobody_there_is_told() -> None:
    assert "could not be sent" in bad(send("http://127.0.0.1:1/"))


def test_a_long_answer_is_refused(service: Service) -> None:
    settings = ActionSettings(may_reach=("127.0.0.0/8",), largest_response=1000)
    assert good(send(f"{service.url}/large/1000", settings))["content"] == "x" * 1000
    assert "longer than 1000" in bad(send(f"{service.url}/large/1001", settings))
    assert "longer than 1000" in bad(send(f"{service.url}/endless", settings))


def test_an_endless_text_under_a_redirect_is_not_read(service: Service) -> None:
    answer = good(send(f"{service.url}/endless-redirect", allow_redirects=True))
    assert answer["content"]["path"] == "/ok"


def test_a_silent_server_is_left_after_its_time(service: Service) -> None:
    assert "more than 0.05 seconds" in bad(send(f"{service.url}/silent", timeout=0.05))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]",
     "0.0.0.0", "[::]", "169.254.169.254", "10.0.0.1", "192.168.0.1", "[fe80::1]"],
)  # fmt: skip
def test_this_machine_and_its_neighbours_are_not_reached(service: Service, host: str) -> None:
    said = bad(send(f"http://{host}:{service.server_port}/", ActionSettings()))
    assert "not a public one" in said or "has no address" in said


def test_a_redirect_leads_nowhere_else(service: Service) -> None:
    # 127.0.0.2 is allowed and redirects to 127.0.0.1, which is not.
    for other in serving("127.0.0.2"):
        settings = ActionSettings(may_reach=("127.0.0.2/32",))
        assert good(send(f"{other.url}/ok", settings))["status"] == 200
        leading = f"{other.url}/redirect/{service.url}/secret"
        assert "not a public one" in bad(send(leading, settings, allow_redirects=True))
        local = f"{other.url}/redirect/file:///etc/passwd"
        assert bad(send(local, settings, allow_redirects=True))


class Recorder(httpcore.AsyncMockBackend):
    """Answers every connection, and remembers where it went."""

    def __init__(self) -> None:
        super().__init__([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"])
        self.reached: list[str] = []
        self.other_end = ""

    async def connect_tcp(self, host: str, *args: Any, **kwargs: Any) -> Any:
        self.reached.append(host)
        stream: Any = await super().connect_tcp(host, *args, **kwargs)
        end = (self.other_end or host, 80)
        stream.get_extra_info = lambda info: end if info == "server_addr" else None
        return stream


class Rebinding:
    """A name server that answers differently each time."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> list[str]:
        return self.answers.pop(0)


def test_a_name_that_changes_its_address_is_looked_up_once() -> None:
    network = Recorder()
    names = Rebinding(["8.8.8.8"], ["127.0.0.1"])
    guarded = GuardedNetwork(Reach(), names, network)
    assert good(send("http://rebind.example/", network=guarded))["status"] == 200
    assert network.reached == ["8.8.8.8"]
    assert "not a public one" in bad(send("http://rebind.example/", network=guarded))
    assert network.reached == ["8.8.8.8"]


def test_one_private_address_among_public_ones_spoils_the_name() -> None:
    network = Recorder()
    guarded = GuardedNetwork(Reach(), Rebinding(["8.8.8.8", "10.0.0.1"]), network)
    assert "not a public one" in bad(send("http://both.example/", network=guarded))
    assert network.reached == []


def test_the_other_end_of_the_connection_is_looked_at() -> None:
    network = Recorder()
    network.other_end = "127.0.0.1"
    guarded = GuardedNetwork(Reach(), Rebinding(["8.8.8.8"]), network)
    assert "not a public one" in bad(send("http://odd.example/", network=guarded))
