"""`hotplate serve` as a process: start, health, signals, restart, refusals."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.acceptance import warm_command
from tests.acceptance.serving import COMMAND, PATIENCE, Served, end, serving, start, stop, until

WAITING = """
heat_template_version: wallaby
resources:
  first: {type: OS::Heat::TestResource, properties: {wait_secs: 3}}
  second: {type: OS::Heat::Delay, properties: {min_wait: 0.1}, depends_on: first}
"""


def create(served: Served, template: str = WAITING, name: str = "app") -> str:
    """Ask for a stack and return its address."""
    answer = httpx.post(
        f"{served.endpoint()}/stacks", json={"stack_name": name, "template": template}
    )
    assert answer.status_code == 201, answer.text
    return f"{served.endpoint()}/stacks/{name}/{answer.json()['stack']['id']}"


def refused(*flags: str, folder: Path, **environ: str) -> tuple[int, str]:
    """Return the exit code and the words of a server that does not start."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("HOTPLATE_")}
    variables = {"HOME": str(folder), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""} | environ
    done = warm_command.run(["serve", *flags], clean | variables, Path.cwd())
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("hotplate: ")
    assert done.stderr.count("\n") == 1
    return done.returncode, done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_starts_answers_and_stops(tmp_path: Path, number: signal.Signals) -> None:
    database = f"sqlite:///{tmp_path / 'below' / 'hotplate.db'}"
    served = start(database=database, folder=tmp_path, command=COMMAND)
    try:
        assert httpx.get(f"{served.url}/healthcheck").text == "OK"
        assert httpx.get(f"{served.url}/v1/").status_code == 200
        assert "hotplate_claims_held" in httpx.get(f"{served.url}/metrics").text
        (service,) = httpx.get(f"{served.endpoint()}/services").json()["services"]
        assert (service["status"], service["host"]) == ("up", socket.gethostname())
    finally:
        stop(served, number)
    assert (tmp_path / "below" / "hotplate.db").stat().st_mode & 0o777 == 0o600
    assert "hotplate.server: stopped" in served.log()


def test_a_stopped_server_goes_on_at_once_when_it_is_started_again(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    served = start(database=database, folder=tmp_path)
    try:
        path = httpx.URL(create(served)).path
    finally:
        stop(served)
    with closing(sqlite3.connect(tmp_path / "hotplate.db")) as connection:
        assert connection.execute("SELECT count(*) FROM worker").fetchone() == (0,)
        claimed = connection.execute("SELECT count(*) FROM node WHERE worker IS NOT NULL")
        assert claimed.fetchone() == (0,)
    begun = time.monotonic()
    with serving(database=database) as again:
        until(f"{again.url}{path}", "CREATE_COMPLETE", seconds=9)
        # Ten seconds is when a worker that said nothing would be missed.
        assert time.monotonic() - begun < 9


def test_a_second_signal_ends_the_server_at_once(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    served = start(database=database, folder=tmp_path)
    try:
        host, port = served.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as slow:
            # A request that never ends keeps the first signal waiting.
            slow.sendall(
                b"POST /v1/project/stacks HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
            )
            time.sleep(0.5)
            served.process.send_signal(signal.SIGTERM)
            with pytest.raises(subprocess.TimeoutExpired):
                served.process.wait(2)
            begun = time.monotonic()
            served.process.send_signal(signal.SIGTERM)
            assert served.process.wait(PATIENCE) == 128 + signal.SIGTERM
            assert time.monotonic() - begun < 2
    finally:
        end(served)


def test_when_the_worker_dies_the_process_says_so_and_ends(tmp_path: Path) -> None:
    file = tmp_path / "hotplate.db"
    served = start(database=f"sqlite:///{file}", folder=tmp_path)
    try:
        with closing(sqlite3.connect(file, timeout=PATIENCE)) as connection:
            connection.execute("DROP TABLE node")
        assert served.process.wait(PATIENCE) == 1
    finally:
        end(served)
    assert served.log().splitlines()[-1].startswith("hotplate: the worker died (OperationalError:")


def test_logs_are_json_when_asked_for_and_hold_no_tokens(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    served = start("--log-format", "json", database=database, folder=tmp_path)
    try:
        httpx.get(f"{served.endpoint()}/stacks?x=1", headers={"X-Auth-Token": "gAAAAsecret"})
    finally:
        stop(served)
    records = [json.loads(line) for line in served.log().splitlines()]
    (request,) = [each for each in records if each["message"] == "request"]
    assert request["path"] == "/v1/project/stacks"
    assert request["request_id"].startswith("req-")
    assert "gAAAAsecret" not in served.log()


def test_tokens_open_their_own_project_and_those_of_administrators_all(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("s3cret alice project\nr00t bob project admin\n", encoding="utf-8")
    tokens.chmod(0o600)
    with serving("--auth-tokens", str(tokens)) as served:
        address = f"{served.endpoint()}/services"
        missing = httpx.get(address)
        assert missing.status_code == 401
        assert missing.headers["www-authenticate"] == 'Token realm="hotplate"'
        assert httpx.get(address, headers={"X-Auth-Token": "s3cre"}).status_code == 401
        assert httpx.get(address, headers={"X-Auth-Token": "s3cret"}).status_code == 403
        assert httpx.get(address, headers={"X-Auth-Token": "r00t"}).status_code == 200
        other = f"{served.endpoint('other')}/stacks"
        assert httpx.get(other, headers={"X-Auth-Token": "s3cret"}).status_code == 403
        assert httpx.get(other, headers={"X-Auth-Token": "r00t"}).status_code == 200
        assert httpx.get(f"{served.url}/healthcheck").status_code == 200


def test_pages_of_other_sites_cannot_use_a_server_without_authentication() -> None:
    with serving("--host-name", "plate.example.org") as served:
        own = served.url.removeprefix("http://")

        def asked(**headers: str) -> int:
            return httpx.get(f"{served.endpoint()}/services", headers=headers).status_code

        assert asked() == 200
        assert asked(Origin=f"http://{own}") == 200
        assert asked(Host="plate.example.org:80") == 200
        assert asked(Host="evil.example.org") == 403
        assert asked(Origin="http://evil.example.org") == 403
        assert asked(Origin="null") == 403


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        code, text = refused("--listen", address, folder=tmp_path)
    assert code == 1
    assert text == (
        f"hotplate: cannot listen on {address}: the port is taken; stop what listens there, or "
        "choose another with --listen\n"
    )


def test_a_database_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        code, text = refused(
            "--listen",
            "127.0.0.1:0",
            folder=tmp_path,
            HOTPLATE_DATABASE=f"postgresql://me:s3cret@127.0.0.1:{port}/hotplate",
        )
    assert code == 1
    assert f"the database postgresql://me:***@127.0.0.1:{port}/hotplate cannot be used" in text
    assert "s3cret" not in text


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hotplate.db"
    with serving(database=f"sqlite:///{file}"):
        pass
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    flags = ("--listen", "127.0.0.1:0", "--database", f"sqlite:///{file}")
    code, text = refused(*flags, folder=tmp_path)
    assert code == 1
    assert "has schema 9999, which is newer than this program" in text


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are notes, and long enough to be looked at as a header\n" * 50)
    flags = ("--listen", "127.0.0.1:0", "--database", f"sqlite:///{file}")
    code, text = refused(*flags, folder=tmp_path)
    assert code == 1
    assert "file is not a database" in text


def test_tokens_that_others_can_read_are_refused(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("s3cret alice project\n", encoding="utf-8")
    tokens.chmod(0o644)
    code, text = refused("--auth-tokens", str(tokens), folder=tmp_path)
    assert code == 2
    assert f"has mode 0644, so others can read it; run: chmod 0600 {tokens}" in text


def test_other_machines_are_not_let_in_without_authentication_by_mistake(tmp_path: Path) -> None:
    code, text = refused("--listen", "0.0.0.0:0", folder=tmp_path)
    assert code == 2
    assert "use --auth-tokens FILE, listen on 127.0.0.1, or say" in text


def test_a_server_runs_on_a_database_server(server_url: str) -> None:
    template = "{heat_template_version: wallaby, resources: {a: {type: OS::Heat::RandomString}}}"
    with serving(database=server_url, command=COMMAND) as served:
        until(create(served, template), "CREATE_COMPLETE")
        assert httpx.get(f"{served.url}/healthcheck").text == "OK"


@pytest.mark.parametrize("is_on", [False, True])
def test_resources_for_tests_are_made_on_request_only(tmp_path: Path, is_on: bool) -> None:
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    environ = {"HOTPLATE_TEST_RESOURCES": str(is_on)}
    served = start(database=database, folder=tmp_path, environ=environ)
    resource = {"type": "OS::Heat::TestResource"}
    template = {"heat_template_version": "wallaby", "resources": {"a": resource}}
    try:
        body = {"stack_name": "s", "template": template}
        answer = httpx.post(f"{served.endpoint()}/stacks", json=body)
        assert answer.status_code == (201 if is_on else 400)
        assert ("has not switched it on" in answer.text) is not is_on
    finally:
        stop(served)


def test_resources_for_tests_that_there_are_can_be_looked_at_checked_and_removed(
    tmp_path: Path,
) -> None:
    """Switched off, they can be in no template that is sent, but nothing else is in their way."""
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    resource = {"type": "OS::Heat::TestResource", "properties": {"value": "a"}}
    template = {"heat_template_version": "wallaby", "resources": {"a": resource}}
    paths: list[str] = []
    served = start(database=database, folder=tmp_path)
    for name in ("emptied", "deleted"):
        body = {"stack_name": name, "template": template}
        found = httpx.post(f"{served.endpoint()}/stacks", json=body).json()["stack"]
        paths.append(f"/stacks/{name}/{found['id']}")
        until(f"{served.endpoint()}{paths[-1]}", "CREATE_COMPLETE")
    stop(served)
    off = {"HOTPLATE_TEST_RESOURCES": "false"}
    served = start(database=database, folder=tmp_path, environ=off)
    try:
        emptied, deleted = (f"{served.endpoint()}{path}" for path in paths)
        assert httpx.get(f"{emptied}/resources/a").json()["resource"]["attributes"]["output"] == "a"
        assert httpx.post(f"{emptied}/actions", json={"check": None}).is_success
        until(emptied, "CHECK_COMPLETE")
        refused = httpx.put(emptied, json={"template": template})
        assert refused.status_code == 400
        assert "has not switched it on" in refused.text
        without = {"heat_template_version": "wallaby", "resources": {}}
        assert httpx.put(emptied, json={"template": without}).status_code == 202
        until(emptied, "UPDATE_COMPLETE")
        assert httpx.get(f"{emptied}/resources").json()["resources"] == []
        assert httpx.delete(deleted).status_code == 204
        until(deleted, "DELETE_COMPLETE")
        stop(served)
    finally:
        end(served)
