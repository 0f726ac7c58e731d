"""A tree of five levels goes through its whole life over the API, and is killed on the way.

`HOTPLATE_KILLS` says how often, `HOTPLATE_SEED` at which moments; a failure prints the seed.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

import httpx
import pytest

from hotplate.resources.directory import objects
from tests.acceptance.crashes.forked_serving import Forge, is_alive, kill

KILLS = int(os.environ.get("HOTPLATE_KILLS", "50"))
SEED = int(os.environ.get("HOTPLATE_SEED", "1"))
LEVELS = 5
PATIENCE = 60
STEPS = ("create", "update", "suspend", "resume", "snapshot", "abandon", "adopt", "delete")
LONGEST_LIFE = 0.35
"""Seconds that a server lives at most while there are kills left."""


def level(number: int) -> dict[str, Any]:
    """The template of a level: a file before and one after what is inside, and a short wait."""
    resources: dict[str, Any] = {
        "first": {
            "type": "Hotplate::Directory::File",
            "properties": {"content": f"first of {number}"},
        },
        "slow": {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 0.05}},
    }
    said: Any = {"get_attr": ["first", "content"]}
    if number < LEVELS:
        inner: dict[str, Any] = {
            "type": f"level{number + 1}.yaml",
            "properties": {"word": {"get_param": "word"}},
            "depends_on": "first",
        }
        said = {"get_attr": ["inner", "said"]}
        if number == LEVELS - 1:
            del inner["depends_on"]
            inner = {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 2, "resource_def": inner},
                "depends_on": "first",
            }
            said = {"get_attr": ["inner", "resource.0", "said"]}
        resources["inner"] = inner
        resources["last"] = {
            "type": "Hotplate::Directory::File",
            "properties": {"content": f"last of {number}"},
            "depends_on": "inner",
        }
    else:
        resources["deepest"] = {
            "type": "Hotplate::Directory::File",
            "properties": {"content": {"get_param": "word"}},
            "depends_on": ["first", "slow"],
        }
        said = {"get_attr": ["deepest", "content"]}
    return {
        "heat_template_version": "wallaby",
        "parameters": {"word": {"type": "string"}},
        "resources": resources,
        "outputs": {"said": {"value": said}},
    }


def body(word: str) -> dict[str, Any]:
    """What makes the tree; with the second word there is one file more at the bottom."""
    files = {f"level{number}.yaml": level(number) for number in range(1, LEVELS + 1)}
    if word == "second":
        files[f"level{LEVELS}.yaml"]["resources"]["more"] = {
            "type": "Hotplate::Directory::File",
            "properties": {"content": "more"},
        }
    return {
        "template": level(0),
        "files": {name: json.dumps(text) for name, text in files.items()},
        "parameters": {"word": word},
        "disable_rollback": True,
    }


class Server:
    """The server, which dies again and again until all kills are used up."""

    def __init__(self, folder: Path, random: Random, kills: int) -> None:
        self._forge = Forge(folder)
        self._random = random
        self._arguments = (
            "serve", "--listen", "127.0.0.1:0", "--log-level", "warning",
            "--database", f"sqlite:///{folder / 'tree.db'}", "--objects", str(folder / "objects"),
        )  # fmt: skip
        self.kills = kills
        self.spared = kills
        """Kills that are kept for later."""

        self._pid = 0
        self._root = ""
        self._timer: Timer | None = None

    def ask(self, method: str, path: str, sent: Any = None) -> httpx.Response | None:
        """Return the answer; None if the server died over it."""
        self._live()
        try:
            return httpx.request(
                method,
                f"{self._root}/v1/p{path}",
                json=sent,
                timeout=PATIENCE,
                follow_redirects=True,
            )
        except httpx.HTTPError:
            return None

    def _live(self) -> None:
        if self._pid == 0 or not is_alive(self._pid):
            self._disarm()
            self._pid, self._root = self._forge.start(*self._arguments)
        if self.kills > self.spared and self._timer is None:
            self.kills -= 1
            life = self._random.uniform(0, LONGEST_LIFE)
            self._timer = Timer(life, kill, (self._pid,))
            self._timer.start()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.join()
            self._timer = None

    def use_up(self) -> None:
        """Die as often as is left for now, although there is nothing more to do."""
        deadline = time.monotonic() + PATIENCE
        while self.kills > self.spared:
            self._live()
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def close(self) -> None:
        self.spared = self.kills
        self._disarm()
        if self._pid and is_alive(self._pid):
            kill(self._pid)
        self._forge.close()


class Tree:
    """The tree, and what is asked of it until it has been accepted."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.written: dict[str, Any] = {}

    def stack(self) -> dict[str, Any] | None:
        """Return how the stack stands, None if there is none."""
        while True:
            answer = self.server.ask("GET", "/stacks/tree")
            if answer is not None:
                assert answer.status_code in (200, 404), answer.text
                found = answer.json().get("stack")
                # Its name leads to its id, under which it can be seen when it has been deleted.
                is_gone = found is None or found["stack_status"] == "DELETE_COMPLETE"
                return None if is_gone else found

    def _until(self, is_accepted: Callable[[], bool], method: str, end: str, sent: Any) -> None:
        """Ask until it is known to have been accepted: an answer may have been lost."""
        while not is_accepted():
            stack = self.stack()
            if stack is None and method != "POST":
                continue  # it has just gone
            path = f"/stacks/tree/{stack['id']}{end}" if stack is not None else "/stacks"
            answer = self.server.ask(method, path, sent)
            assert answer is None or answer.status_code in (200, 201, 202, 204, 404, 409), (
                answer.text
            )

    def has(self, action: str) -> bool:
        stack = self.stack()
        return stack is not None and stack["stack_status"].startswith(action)

    def create(self) -> None:
        sent = {"stack_name": "tree", **body("first")}
        self._until(lambda: self.stack() is not None, "POST", "", sent)

    def update(self) -> None:
        self._until(lambda: self.has("UPDATE"), "PUT", "", body("second"))

    def suspend(self) -> None:
        self._until(lambda: self.has("SUSPEND"), "POST", "/actions", {"suspend": None})

    def resume(self) -> None:
        self._until(lambda: self.has("RESUME"), "POST", "/actions", {"resume": None})

    def snapshot(self) -> None:
        self._until(lambda: self.has("SNAPSHOT"), "POST", "/snapshots", {"name": "kept"})

    def abandon(self) -> None:
        # Its answer may be lost with the server; what can be read any number of times cannot.
        while not self.written:
            stack = self.stack()
            assert stack is not None
            answer = self.server.ask("GET", f"/stacks/tree/{stack['id']}/export")
            if answer is not None:
                assert answer.status_code == 200, answer.text
                self.written = answer.json()
        self._until(lambda: self.stack() is None, "DELETE", "/abandon", None)

    def adopt(self) -> None:
        sent = {
            "stack_name": "tree",
            "adopt_stack_data": json.dumps(self.written),
            "disable_rollback": True,
        }
        self._until(lambda: self.stack() is not None, "POST", "", sent)

    def delete(self) -> None:
        self._until(lambda: self.stack() is None or self.has("DELETE"), "DELETE", "", None)

    def rest(self) -> dict[str, Any] | None:
        """Wait until nothing goes on; return how the stack stands then."""
        deadline = time.monotonic() + PATIENCE
        while True:
            stack = self.stack()
            if stack is None or "IN_PROGRESS" not in stack["stack_status"]:
                return stack
            assert time.monotonic() < deadline, stack
            time.sleep(0.01)

    def listed(self) -> dict[tuple[str, ...], tuple[str, str, str]]:
        """Return type, id and status of every resource of the tree, by its way from the root."""
        stack = self.stack()
        assert stack is not None
        answer = None
        while answer is None:
            path = f"/stacks/tree/{stack['id']}/tree"
            answer = self.server.ask("GET", path)
        assert answer.status_code == 200, answer.text
        found: dict[tuple[str, ...], tuple[str, str, str]] = {}

        def walk(inside: dict[str, Any], way: tuple[str, ...]) -> None:
            for each in inside["resources"]:
                here = (*way, each["resource_name"])
                facts = (
                    each["resource_type"],
                    each["physical_resource_id"],
                    each["resource_status"],
                )
                assert here not in found
                found[here] = facts
                if "stack" in each:
                    walk(each["stack"], here)

        walk(answer.json()["stack"], ())
        return found

    def files(self) -> dict[tuple[str, ...], str]:
        return {
            way: physical_id
            for way, (kind, physical_id, _) in self.listed().items()
            if kind == "Hotplate::Directory::File"
        }

    def on_disk(self) -> dict[str, str]:
        return {each.id: each.content for each in objects(self.folder / "objects")}


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    server = Server(tmp_path, Random(SEED), KILLS)
    try:
        yield Tree(server, tmp_path)
    finally:
        server.close()


WAY_DOWN = tuple(["inner"] * LEVELS)
BOTTOMS = tuple((*WAY_DOWN[:-1], "inner", member) for member in ("0", "1"))
EXPECTED = {
    *((*WAY_DOWN[:number], "first") for number in range(LEVELS)),
    *((*WAY_DOWN[:number], "last") for number in range(LEVELS)),
    *((*way, name) for way in BOTTOMS for name in ("first", "deepest")),
}


def verify(tree: Tree, word: str) -> dict[tuple[str, ...], str]:
    """What is listed is what is wanted, is on the disk, and nothing else is."""
    expected = EXPECTED | ({(*way, "more") for way in BOTTOMS} if word == "second" else set())
    files = tree.files()
    assert set(files) == expected
    on_disk = tree.on_disk()
    assert sorted(files.values()) == sorted(on_disk), "an orphan, or something lost"
    assert {on_disk[files[(*way, "deepest")]] for way in BOTTOMS} == {word}
    return files


def test_a_tree_gets_through_its_life_however_often_it_is_killed(tree: Tree) -> None:
    print(f"seed {SEED}, {KILLS} kills")
    files: dict[tuple[str, ...], str] = {}
    for number, step in enumerate(STEPS, 1):
        tree.server.spared = KILLS - KILLS * number // len(STEPS)
        getattr(tree, step)()
        stack = tree.rest()
        print(f"{step}: {tree.server.kills - tree.server.spared} kills were left")
        tree.server.use_up()
        if step in ("abandon", "delete"):
            assert stack is None, (stack["stack_status_reason"], stack.get("failures"))
            if step == "abandon":
                assert sorted(files.values()) == sorted(tree.on_disk()), "objects stay"
            continue
        assert stack is not None
        assert stack["stack_status"] == f"{step.upper()}_COMPLETE", stack["stack_status_reason"]
        before, files = files, verify(tree, "first" if step == "create" else "second")
        assert before.items() <= files.items(), "what was there is the same object still"
        statuses = {status for _, _, status in tree.listed().values()}
        assert all(status.endswith("_COMPLETE") for status in statuses), statuses
        said = {each["output_key"]: each["output_value"] for each in stack["outputs"]}
        assert said == {"said": "first" if step == "create" else "second"}
    assert tree.on_disk() == {}
    assert tree.server.kills == 0
