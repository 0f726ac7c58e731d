"""One run of Heat's suite against a server of its own."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.heat_suite.identity import REGION, Account, identity

_READER = Path(__file__).with_name("results.py")
_HIDDEN = "hidden"
_PATIENCE = 60.0
_SERVER = """\
[limits]
hidden_tags = ["{hidden}"]
may_fetch_private = true
allow_unverified_external = true

[regions.{region}]
url = "{url}/v1/%(project_id)s"
token_file = "{token}"
"""
# Names of images and flavors are handed on to types that a test has mapped to templates.
_TEMPEST = """\
[DEFAULT]
log_dir = {folder}
log_file = tempest.log
[service_available]
cinder = false
glance = false
heat = true
neutron = false
nova = false
swift = false
zaqar = false
[heat_plugin]
auth_url = {identity}
username = {user}
password = {password}
project_name = {user}
admin_username = admin
admin_password = {password}
admin_project_name = {user}
user_domain_id = default
project_domain_id = default
region = {region}
build_interval = 1
build_timeout = 90
hidden_stack_tag = {hidden}
image_ref = image
minimal_image_ref = image
instance_type = flavor.large
minimal_instance_type = flavor.small
keypair_name = key
[heat_features_enabled]
stack_cancel = true
"""
# The tests of one file of requests go one after the other; everything else is free.
_STESTR = """\
[DEFAULT]
test_path = {tests}
top_dir = {top}
group_regex = heat_tempest_plugin\\.tests\\.api\\.test_heat_api\\.([^_]+)
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a test: success, fail or skip, and why."""

    status: str
    text: str


def run_suite(python: Path, folder: Path, concurrency: int, only: str = "") -> dict[str, Result]:
    """Run the tests whose names fit the pattern ``only``; return what became of each.

    ``folder`` is empty; the logs are left there.
    """
    token, admin = secrets.token_hex(16), secrets.token_hex(16)
    user, password = "suite", secrets.token_hex(8)
    port = _free_port()
    server = f"http://127.0.0.1:{port}"
    accounts = [
        Account(user, password, user, token),
        Account("admin", password, user, admin, ("admin",)),
    ]
    services = {"orchestration": f"{server}/v1/%(project)s"}
    _private(folder / "tokens", f"{token} {user} {user}\n{admin} admin {user} admin\n")
    _private(folder / "token", token)
    settings = _SERVER.format(hidden=_HIDDEN, region=REGION, url=server, token=folder / "token")
    (folder / "hotplate.toml").write_text(settings)
    with _serving(folder, port, server), identity(accounts, services) as login:
        etc = folder / "etc"
        etc.mkdir()
        (etc / "tempest.conf").write_text(
            _TEMPEST.format(
                folder=folder,
                identity=login,
                user=user,
                password=password,
                region=REGION,
                hidden=_HIDDEN,
            )
        )
        return _run(python, folder, concurrency, only)


def _run(python: Path, folder: Path, concurrency: int, only: str) -> dict[str, Result]:
    found: list[str | Path] = [
        python,
        "-c",
        "import heat_integrationtests as it; print(it.__path__[0])",
    ]
    tests = Path(_output(found).strip())
    (folder / "stestr.conf").write_text(_STESTR.format(tests=tests, top=tests.parent))
    command: list[str | Path] = [python, "-m", "stestr", "--config", folder / "stestr.conf"]
    command += ["--repo-url", folder, "run", "--concurrency", str(concurrency)]
    command += ["--subunit", *([only] if only else [])]
    environ = {
        **{name: text for name, text in os.environ.items() if "proxy" not in name.lower()},
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "PYTHON": str(python),
        "TEMPEST_CONFIG_DIR": str(folder / "etc"),
        "PYTHONWARNINGS": "ignore",
    }
    stream = folder / "results"
    with stream.open("wb") as results, (folder / "stestr.log").open("wb") as log:
        subprocess.run(command, stdout=results, stderr=log, cwd=folder, env=environ, check=False)
    told = json.loads(_output([python, _READER, stream]))
    return {test: Result(**result) for test, result in told.items()}


@contextmanager
def _serving(folder: Path, port: int, url: str) -> Iterator[None]:
    command = [str(Path(sys.executable).with_name("hotplate")), "serve"]
    command += ["--listen", f"127.0.0.1:{port}", "--config", str(folder / "hotplate.toml")]
    command += ["--auth-tokens", str(folder / "tokens"), "--log-level", "warning"]
    command += ["--test-resources"]
    command += ["--database", f"sqlite:///{folder / 'hotplate.db'}"]
    with (folder / "hotplate.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(process, f"{url}/healthcheck")
        yield
    finally:
        process.terminate()
        process.wait()


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            with opener.open(url, timeout=5):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start; see hotplate.log") from None
            time.sleep(0.1)


def _output(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
