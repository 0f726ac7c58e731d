"""A server that is stopped past its lease with many calls to a provider in hand."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from hotplate.resources.directory import objects
from tests.acceptance.serving import PATIENCE, Served, serving
from tests.databases import Server

FILES = 300
KIND = "Hotplate::Directory::File"


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.002)


def is_empty(served: Served) -> bool:
    answer = httpx.get(f"{served.endpoint()}/stacks", timeout=PATIENCE)
    return bool(answer.json() == {"stacks": []})


def test_a_server_that_was_frozen_makes_nothing_that_nobody_knows(
    postgresql_server: Server, tmp_path: Path
) -> None:
    """Another one deletes the stack meanwhile; the calls that still waited are not made."""
    url = postgresql_server.new_database()
    flags = ("--objects", str(tmp_path / "objects"))
    resources = {f"file{number}": {"type": KIND} for number in range(FILES)}
    template = {"heat_template_version": "wallaby", "resources": resources}
    with serving(*flags, database=url) as frozen:
        body = {"stack_name": "many", "template": template}
        made = httpx.post(f"{frozen.endpoint()}/stacks", json=body, timeout=PATIENCE)
        assert made.status_code == 201, made.text
        until(lambda: len(list((tmp_path / "objects").glob("many-*"))) > 10)
        frozen.process.send_signal(signal.SIGSTOP)
        try:
            begun = len(objects(tmp_path / "objects"))
            assert begun < FILES - 10, "nothing was left in its hands"
            with serving(*flags, database=url) as other:
                address = f"{other.endpoint()}/stacks/many/{made.json()['stack']['id']}"
                assert httpx.delete(address, timeout=PATIENCE).status_code == 204
                until(lambda: is_empty(other))
                assert objects(tmp_path / "objects") == []
        finally:
            frozen.process.send_signal(signal.SIGCONT)
    # It ended in good order: nothing waits in its threads any more.
    assert objects(tmp_path / "objects") == []
    assert list((tmp_path / "objects").iterdir()) == []
    postgresql_server.drop_database(url)
