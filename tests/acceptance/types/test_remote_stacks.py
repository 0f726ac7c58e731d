"""OS::Heat::Stack in another region, between two real `hotplate serve` processes."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.acceptance.serving import Served, end, start, stop

TOKENS = "near-token ann south\nother-token bob north\n"
PATIENCE = 30


def box(word: str = "hello", wait: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "heat_template_version": "wallaby",
        "parameters": {"suffix": {"type": "string", "default": ""}},
        "resources": {
            "file": {
                "type": "Hotplate::Directory::File",
                "properties": {
                    "content": {"list_join": ["", [word, {"get_param": "suffix"}]]},
                },
            },
            "slow": {"type": "OS::Heat::TestResource", "properties": {"wait_secs": wait, **more}},
        },
        "outputs": {"said": {"value": {"get_attr": ["file", "content"]}}},
    }


def around(template: dict[str, Any], region: str = "far", **more: Any) -> dict[str, Any]:
    context = {"region_name": region, **more.pop("context", {})}
    properties = {"template": json.dumps(template), "context": context, **more}
    return {
        "heat_template_version": "wallaby",
        "resources": {"elsewhere": {"type": "OS::Heat::Stack", "properties": properties}},
        "outputs": {
            "said": {"value": {"get_attr": ["elsewhere", "outputs", "said"]}},
            "name": {"value": {"get_attr": ["elsewhere", "stack_name"]}},
            "id": {"value": {"get_resource": "elsewhere"}},
        },
    }


class Api:
    """One project on one server; survives that the server is started again elsewhere."""

    def __init__(self, served: Served, project: str, token: str = "any") -> None:
        self.served = served
        self._project = project
        self._token = token

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(
            method,
            f"{self.served.endpoint(self._project)}{path}",
            json=body,
            headers={"X-Auth-Token": self._token},
            follow_redirects=True,
            timeout=30,
        )
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    def stack(self, name: str = "app") -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"/stacks/{name}")["stack"]
        return found

    def stacks(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("GET", "/stacks")["stacks"]
        return found

    def path(self, name: str = "app") -> str:
        return f"/stacks/{name}/{self.stack(name)['id']}"

    def create(self, template: dict[str, Any], name: str = "app") -> None:
        self.ask("POST", "/stacks", {"stack_name": name, "template": template})

    def update(self, template: dict[str, Any]) -> None:
        self.ask("PUT", self.path(), {"template": template})

    def act(self, action: str) -> None:
        self.ask("POST", f"{self.path()}/actions", {action: None})

    def ended(self, name: str = "app") -> dict[str, Any]:
        return until(lambda: self.stack(name), lambda s: "IN_PROGRESS" not in s["stack_status"])

    def outputs(self) -> dict[str, Any]:
        return {each["output_key"]: each["output_value"] for each in self.stack()["outputs"]}


def until(look: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    end_of_patience = time.monotonic() + PATIENCE
    while not fits(found := look()):
        assert time.monotonic() < end_of_patience, found
        time.sleep(0.05)
    return found


class Pair:
    """A server, and another one that is the region "far" to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._private("tokens", TOKENS)
        self._private("own", "near-token\n")
        self._private("other", "other-token\n")
        self.far = self._start_far()
        self._configure(patience=20)
        self.near = self._start_near()
        self.here = Api(self.near, "south")
        self.there = Api(self.far, "south", "near-token")

    def _private(self, name: str, text: str) -> None:
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")

    def _configure(self, patience: int) -> None:
        far = f"{self.far.url}/v1"
        (self.folder / "near.toml").write_text(
            f"""
[regions.far]
url = "{far}/%(project_id)s"
token_file = "{self.folder / "own"}"
patience = {patience}
[regions.north]
url = "{far}/north"
credentials = {{bob = "{self.folder / "other"}"}}
[regions.closed]
url = "{far}/south"
projects = ["somebody"]
[regions.nobody]
url = "http://127.0.0.1:1/v1/south"
patience = 0
""",
            encoding="utf-8",
        )

    def _start_near(self) -> Served:
        return start(
            "--config", str(self.folder / "near.toml"),
            database=f"sqlite:///{self.folder / 'near.db'}", folder=self.folder,
        )  # fmt: skip

    def _start_far(self, *flags: str) -> Served:
        return start(
            "--auth-tokens", str(self.folder / "tokens"), "--objects", str(self.folder / "objects"),
            *flags, database=f"sqlite:///{self.folder / 'far.db'}", folder=self.folder,
        )  # fmt: skip

    def kill_near(self) -> None:
        self.near.process.send_signal(signal.SIGKILL)
        end(self.near)
        self.near = self.here.served = self._start_near()

    def restart_far(self) -> None:
        """Let the other server be away for a moment; its address stays."""
        port = self.far.url.rpartition(":")[2]
        stop(self.far)
        time.sleep(1)
        self.far = self.there.served = self._start_far("--listen", f"127.0.0.1:{port}")

    def objects(self) -> list[str]:
        # Each project has a folder of its own.
        return [each.name for each in (self.folder / "objects").rglob("*") if each.is_file()]


@contextmanager
def servers(folder: Path) -> Iterator[Pair]:
    pair = Pair(folder)
    try:
        yield pair
    finally:
        for each in (pair.near, pair.far):
            end(each)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with servers(tmp_path_factory.mktemp("pair")) as found:
        yield found


@pytest.fixture(autouse=True)
def _gone(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "pair" in request.fixturenames:
        found: Pair = request.getfixturevalue("pair")
        if found.here.stacks():
            found.here.ask("DELETE", found.here.path())
            until(found.here.stacks, lambda stacks: not stacks)
        assert found.there.stacks() == []
        assert found.objects() == []


def test_a_stack_elsewhere_lives_as_its_resource_does(pair: Pair) -> None:
    here, there = pair.here, pair.there
    here.create(around(box("one"), parameters={"suffix": "!"}))
    assert here.ended()["stack_status"] == "CREATE_COMPLETE"
    (far,) = there.stacks()
    assert here.outputs() == {"said": "one!", "name": far["stack_name"], "id": far["id"]}
    assert far["stack_name"].startswith("app-elsewhere-")
    assert here.ask("GET", f"{here.path()}/resources/elsewhere")["resource"]["attributes"][
        "show"
    ]["stack_status"] == "CREATE_COMPLETE"  # fmt: skip
    here.update(around(box("two"), timeout=30))
    assert here.ended()["stack_status"] == "UPDATE_COMPLETE"
    assert here.outputs()["said"] == "two"
    assert there.stack(far["stack_name"])["timeout_mins"] == 30
    for action in ("suspend", "resume", "check"):
        here.act(action)
        assert here.ended()["stack_status"] == f"{action.upper()}_COMPLETE"
        status = there.stack(far["stack_name"])["stack_status"]
        assert status == f"{action.upper()}_COMPLETE"
    here.ask("POST", f"{here.path()}/snapshots", {"name": "kept"})
    assert here.ended()["stack_status"] == "SNAPSHOT_COMPLETE"
    there_path = f"/stacks/{far['stack_name']}/{far['id']}"
    assert len(there.ask("GET", f"{there_path}/snapshots")["snapshots"]) == 1
    assert [each["id"] for each in there.stacks()] == [far["id"]], "all of it was one stack"


def test_files_and_environment_go_along_and_their_change_is_an_update(pair: Pair) -> None:
    template = {
        "heat_template_version": "wallaby",
        "resources": {"nested": {"type": "My::Box"}},
        "outputs": {"said": {"value": {"get_attr": ["nested", "said"]}}},
    }
    body: dict[str, Any] = {
        "stack_name": "app",
        "template": around(template),
        "files": {"box.yaml": json.dumps(box("deep"))},
        "environment": {"resource_registry": {"My::Box": "box.yaml"}},
    }
    pair.here.ask("POST", "/stacks", body)
    assert pair.here.ended()["stack_status"] == "CREATE_COMPLETE"
    assert pair.here.outputs()["said"] == "deep"
    body["files"] = {"box.yaml": json.dumps(box("deeper"))}
    del body["stack_name"]
    pair.here.ask("PUT", pair.here.path(), body)
    assert pair.here.ended()["stack_status"] == "UPDATE_COMPLETE"
    assert pair.here.outputs()["said"] == "deeper"


def test_another_region_makes_another_stack(pair: Pair) -> None:
    pair.here.create(around(box()))
    assert pair.here.ended()["stack_status"] == "CREATE_COMPLETE"
    north = around(box(), "north", context={"credential_secret_id": "bob"})
    pair.here.update(north)
    assert pair.here.ended()["stack_status"] == "UPDATE_COMPLETE"
    assert pair.there.stacks() == []
    (moved,) = Api(pair.far, "north", "other-token").stacks()
    assert moved["stack_status"] == "CREATE_COMPLETE"
    local = around(box(), "north")
    del local["resources"]["elsewhere"]["properties"]["context"]
    local["resources"]["elsewhere"]["properties"]["template"] = json.dumps(
        {
            "heat_template_version": "wallaby",
            "outputs": {"said": {"value": "here"}},
            "resources": {},
        }
    )
    pair.here.update(local)
    assert pair.here.ended()["stack_status"] == "UPDATE_COMPLETE"
    assert pair.here.outputs()["said"] == "here"
    assert Api(pair.far, "north", "other-token").stacks() == []


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (around(box(fail=True)), "Test Resource failed slow"),
        (around(box(fail=True)), "resources.elsewhere: Went to status CREATE_FAILED due to"),
    ],
)
def test_a_failure_is_told_with_its_cause(pair: Pair, template: dict[str, Any], words: str) -> None:
    pair.here.create(template)
    stack = pair.here.ended()
    assert stack["stack_status"] == "CREATE_FAILED"
    assert words in stack["stack_status_reason"]
    assert "token" not in stack["stack_status_reason"]


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (around({**box(), "resources": {"x": {"type": "No::Such"}}, "outputs": {}}), "No::Such"),
        (around(box(), parameters={"wrong": 1}), "wrong"),
        (around(box(), "fra"), 'there is no region "fra"'),
        (around(box(), "closed"), 'there is no region "closed" for this project'),
        (around(box(), "north"), "401"),
        (around(box(), "north", context={"credential_secret_id": "x"}), 'no credential "x"'),
        (around(box(), context={"insecure": True}), "must not be used without a look"),
    ],
)
def test_what_will_be_refused_there_is_refused_at_once(
    pair: Pair, template: dict[str, Any], words: str
) -> None:
    for path in ("/stacks", "/stacks/preview"):
        answer = httpx.post(
            f"{pair.near.endpoint('south')}{path}",
            json={"stack_name": "app", "template": template},
            timeout=30,
        )
        assert answer.status_code == 400, answer.text
        assert words in answer.json()["error"]["message"]
        assert "near-token" not in answer.text
    assert pair.here.stacks() == []


def test_an_update_that_will_be_refused_there_is_refused_at_once(pair: Pair) -> None:
    pair.here.create(around(box()))
    pair.here.ended()
    for method in ("PUT", "PATCH"):
        answer = httpx.request(
            method,
            f"{pair.near.endpoint('south')}{pair.here.path()}",
            json={"template": around(box(), "fra")},
            timeout=30,
        )
        assert answer.status_code == 400, answer.text
        assert 'Heat endpoint at region "fra"' in answer.json()["error"]["message"]
    assert pair.here.stack()["stack_status"] == "CREATE_COMPLETE"


def test_what_may_have_been_made_where_nobody_answers_is_not_forgotten(pair: Pair) -> None:
    pair.here.create(around(box(), "nobody"))
    words = 'the server of region "nobody" cannot be reached'
    assert words in pair.here.ended()["stack_status_reason"]
    pair.here.ask("DELETE", pair.here.path())
    stack = pair.here.ended()
    assert stack["stack_status"] == "DELETE_FAILED"
    assert words in stack["stack_status_reason"]
    pair.here.ask("DELETE", f"{pair.here.path()}/abandon")


def test_a_failed_stack_elsewhere_is_mended_in_place(pair: Pair) -> None:
    pair.here.create(around(box(fail=True)))
    assert pair.here.ended()["stack_status"] == "CREATE_FAILED"
    (failed,) = pair.there.stacks()
    pair.here.update(around(box()))
    assert pair.here.ended()["stack_status"] == "UPDATE_COMPLETE"
    assert [each["id"] for each in pair.there.stacks()] == [failed["id"]]


def test_abandoning_here_leaves_it_there_to_be_adopted(pair: Pair) -> None:
    pair.here.create(around(box()))
    pair.here.ended()
    (far,) = pair.there.stacks()
    document = pair.here.ask("DELETE", f"{pair.here.path()}/abandon")
    assert [each["id"] for each in pair.there.stacks()] == [far["id"]]
    body = {
        "stack_name": "app",
        "adopt_stack_data": json.dumps(document),
        "template": around(box()),
    }
    pair.here.ask("POST", "/stacks", body)
    assert pair.here.ended()["stack_status"] == "ADOPT_COMPLETE"
    assert pair.here.outputs()["id"] == far["id"]


def test_a_server_that_is_away_for_a_moment_is_asked_again(pair: Pair) -> None:
    pair.here.create(around(box(wait=1)))
    until(pair.there.stacks, bool)
    pair.restart_far()
    assert pair.here.ended()["stack_status"] == "CREATE_COMPLETE"
    assert len(pair.there.stacks()) == 1


def test_killed_at_any_moment_it_makes_one_stack_and_leaves_none(pair: Pair) -> None:
    """Kills this side, again and again, while it creates, changes and deletes a stack elsewhere."""
    random = Random(7)
    for step in ("CREATE", "UPDATE", "DELETE"):
        if step == "CREATE":
            pair.here.create(around(box("one", wait=1.5)))
        elif step == "UPDATE":
            pair.here.update(around(box("two", wait=1.0, value="new")))
        else:
            pair.here.ask("DELETE", pair.here.path())
        for _ in range(4):
            time.sleep(random.uniform(0, 0.6))
            pair.kill_near()
        if step == "DELETE":
            until(pair.here.stacks, lambda stacks: not stacks)
            continue
        assert pair.here.ended()["stack_status"] == f"{step}_COMPLETE"
        assert len(pair.there.stacks()) == 1
        assert pair.here.outputs()["said"] == ("one" if step == "CREATE" else "two")
    assert pair.there.stacks() == []
