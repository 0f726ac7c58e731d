"""Files that templates and environments need are found as python-heatclient finds them."""

import base64
import json
import random
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
import yaml
from heatclient.common import template_utils

from hotplate.client.files import Discovered, discover
from hotplate.client.reader import read_url
from hotplate.document import InvalidDocument, Position, Problem

VERSION = "heat_template_version: 2018-08-31\n"


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def theirs(template: str, environments: list[str]) -> tuple[Any, dict[str, str], list[str]]:
    """What `openstack stack create -t template -e ...` sends."""
    listed: list[str] = []
    files, data = template_utils.process_template_path(template)
    more, _ = template_utils.process_multiple_environments_and_files(
        env_paths=environments, env_list_tracker=listed
    )
    sent = {**files, **more}
    decoded = {u: c.decode() if isinstance(c, bytes) else c for u, c in sent.items()}
    return json.loads(json.dumps(data)), decoded, listed


def _read(text: str) -> Any:
    """What a text says; ours has the lines of the user's file, theirs has none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def assert_same(template: Path, environments: list[Path]) -> Discovered:
    ours = discover(str(template), [str(path) for path in environments])
    data, files, listed = theirs(str(template), [str(path) for path in environments])
    assert ours.template == data
    assert {url: _read(text) for url, text in ours.files.items()} == {
        url: _read(text) for url, text in files.items()
    }
    assert list(ours.environment_files) == listed
    return ours


def random_tree(dice: random.Random, folder: Path) -> tuple[Path, list[Path]]:
    """Write templates, environments and other files that name each other without a circle."""
    folders = ["", "a/", "a/b/", "c d/"]
    texts = [
        f"{dice.choice(folders)}text{i}.{dice.choice(['sh', 'yaml', 'bin'])}" for i in range(4)
    ]
    for name in texts:
        contents: list[str | bytes] = [
            "echo hi\n",
            "",
            "a: [1, 2]",
            "{broken",
            b"\xff\xfe\0binary" * 20,
            "ümlaut: ß",
            "- x",
        ]
        write(folder, {name: dice.choice(contents)})
    known = list(texts)
    templates: list[str] = []
    for i in range(5):
        name = f"{dice.choice(folders)}template{i}{dice.choice(['.yaml', '.template'])}"
        write(folder, {name: random_template(dice, folder, folder / name, known, templates)})
        templates.append(name)
        known.append(name)
    environments = []
    for i in range(dice.randrange(3)):
        name = f"{dice.choice(folders)}env{i}.yaml"
        write(folder, {name: random_environment(dice, folder, folder / name, templates)})
        environments.append(folder / name)
    return folder / templates[-1], environments


def named(dice: random.Random, folder: Path, referrer: Path, target: str) -> str:
    relative = "../" * len(referrer.parent.relative_to(folder).parts) + target
    return dice.choice([relative, "./" + relative, (folder / target).as_uri()])


def random_template(
    dice: random.Random, folder: Path, path: Path, known: list[str], templates: list[str]
) -> str:
    resources: dict[str, Any] = {"plain": {"type": "OS::Heat::None", "properties": {"type": "x"}}}
    for i, target in enumerate(dice.sample(known, 2)):
        value = {"get_file": named(dice, folder, path, target)}
        nested = {"list": [1, {"str_replace": {"template": value}}], 5: True}
        resources[f"file{i}"] = {"type": "OS::Heat::Value", "properties": nested}
    for i, target in enumerate(dice.sample(templates, min(2, len(templates)))):
        resources[f"nested{i}"] = {"type": named(dice, folder, path, target)}
    data = {"heat_template_version": "2018-08-31", "resources": resources}
    return json.dumps(data) if dice.random() < 0.3 else yaml.safe_dump(data)


def random_environment(dice: random.Random, folder: Path, path: Path, templates: list[str]) -> str:
    registry: dict[str, Any] = {"My::Alias": "Your::Type", "A::*": "B::*"}
    for i, target in enumerate(dice.sample(templates, 2)):
        registry[f"My::Type{i}"] = named(dice, folder, path, target)
    server: dict[str, Any] = {"hooks": dice.choice(["pre-create", ["pre-update"]])}
    server["My::Type"] = named(dice, folder, path, dice.choice(templates))
    if dice.random() < 0.4:
        server = {"base_url": folder.as_uri(), "My::Type": dice.choice(templates)}
    registry["resources"] = {"server": server, "other": {"restricted_actions": "update"}}
    return yaml.safe_dump({"parameters": {"p": 1}, "resource_registry": registry})


@pytest.mark.parametrize("seed", range(60))
def test_a_random_tree_of_files_is_sent_as_heatclient_sends_it(seed: int, tmp_path: Path) -> None:
    assert_same(*random_tree(random.Random(seed), tmp_path))


def test_base_url_is_where_relative_entries_start(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "t.yaml": VERSION,
            "lib/my.yaml": VERSION,
            "env.yaml": f"resource_registry: {{base_url: {tmp_path.as_uri()}/lib, A::B: my.yaml}}",
        },
    )
    assert_same(tmp_path / "t.yaml", [tmp_path / "env.yaml"])


def test_environments_below_the_templates_folder_are_named_from_there(tmp_path: Path) -> None:
    names = ["near.yaml", "env/my prod.yaml", "../far.yaml"]
    write(tmp_path / "app", {"app.yaml": VERSION, **dict.fromkeys(names, "{}")})
    paths = [str(tmp_path / "app" / name) for name in names]
    found = discover(str(tmp_path / "app/app.yaml"), paths)
    near, below, far = found.environment_files
    assert found.environment_names == {near: "near.yaml", below: "env/my prod.yaml"}
    assert far.endswith("/far.yaml")
    assert discover(None, paths).environment_names == {}, "there is no template to start from"


def test_links_are_followed_before_relative_names_are_resolved(tmp_path: Path) -> None:
    write(tmp_path, {"real/t.yaml": VERSION + "x: {get_file: f.txt}", "real/f.txt": "here"})
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real" / "t.yaml")
    assert_same(tmp_path / "link.yaml", [])


def test_templates_may_name_each_other_in_a_circle(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.yaml": VERSION + "resources: {b: {type: b.yaml}}",
            "b.yaml": VERSION + "resources: {a: {type: a.yaml}, b: {type: b.yaml}}",
        },
    )
    found = discover(str(tmp_path / "a.yaml"))
    assert set(found.files) == {(tmp_path / name).as_uri() for name in ("a.yaml", "b.yaml")}
    nested = json.loads(found.files[(tmp_path / "b.yaml").as_uri()])
    assert nested["resources"]["a"]["type"] == (tmp_path / "a.yaml").as_uri()


def test_binary_files_are_sent_in_base64(tmp_path: Path) -> None:
    write(tmp_path, {"t.yaml": VERSION + "x: {get_file: b}", "b": b"\xff" * 100})
    found = assert_same(tmp_path / "t.yaml", [])
    assert base64.b64decode(found.files[(tmp_path / "b").as_uri()]) == b"\xff" * 100


def test_a_text_that_only_mentions_a_template_version_is_sent_unchanged(tmp_path: Path) -> None:
    """heatclient sends it as a JSON text, quotes and all."""
    note = "heat_template_version is the first key"
    write(tmp_path, {"t.yaml": VERSION + "x: {get_file: note}", "note": note})
    assert discover(str(tmp_path / "t.yaml")).files[(tmp_path / "note").as_uri()] == note


def test_null_entries_and_deeper_resources_are_understood(tmp_path: Path) -> None:
    """heatclient fails on the first and forgets the second."""
    env = "resource_registry: {A: , resources: {a: , b: {c: {X::Y: my.yaml}}}}"
    write(tmp_path, {"env.yaml": env, "my.yaml": VERSION})
    found = discover(None, [str(tmp_path / "env.yaml")])
    assert (tmp_path / "my.yaml").as_uri() in found.files
    assert found.template is None


def problems(template: str | None, *environments: str, **more: Any) -> list[str]:
    with pytest.raises(InvalidDocument) as refusal:
        discover(template, environments, **more)
    return [str(problem) for problem in refusal.value.problems]


def test_every_missing_file_is_reported_with_the_place_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "app.yaml": VERSION + "resources:\n  web:\n    type: lib/web.yaml\n",
            "lib/web.yaml": VERSION + "resources:\n  x: {data: {get_file: no.sh}}\n",
            "env.yaml": "resource_registry:\n  My::Type: my.yaml\n  Dir: lib\n",
        },
    )
    assert problems("app.yaml", "env.yaml") == [
        'env.yaml:2:3: resource_registry.My::Type: the file "my.yaml" cannot be read: '
        f"there is no such file; looked for {tmp_path}/my.yaml",
        'env.yaml:3:3: resource_registry.Dir: the file "lib" cannot be read: it is a directory; '
        f"looked for {tmp_path}/lib",
        'lib/web.yaml:3:14: resources.x.data.get_file: the file "no.sh" cannot be read: '
        f"there is no such file; looked for {tmp_path}/lib/no.sh",
    ]


def test_a_missing_template_and_a_broken_environment_are_reported_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"env.yaml": "a: [", "bin": b"\xff"})
    first, *broken, last = problems("no.yaml", "env.yaml", "bin")
    assert first == f"no.yaml: cannot be read: there is no such file; looked for {tmp_path}/no.yaml"
    assert broken[0].startswith("env.yaml:2:1: not valid YAML")
    assert last == "bin: is not text in UTF-8"


WEB = {
    "http://x/t.yaml": b"heat_template_version: 2018-08-31\nx: {get_file: ../f.txt}\n",
    "http://x/f.txt": b"text",
    "http://x/evil.yaml": b"heat_template_version: 2018-08-31\nx: {get_file: 'file:///etc/passwd'}",
}


def test_remote_files_are_found_relative_to_their_address() -> None:
    assert discover("http://x/t.yaml", read=WEB.__getitem__).files == {"http://x/f.txt": "text"}


def test_a_remote_template_cannot_take_files_of_this_machine() -> None:
    assert problems("http://x/evil.yaml", read=WEB.__getitem__) == [
        "http://x/evil.yaml:2:5: x.get_file: a remote file cannot name a local one"
    ]


def test_an_endless_chain_of_remote_files_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(url: str) -> bytes:
        return f"heat_template_version: 1\nx: {{get_file: '{url}x'}}".encode()

    monkeypatch.setattr("hotplate.client.files.MOST_FILES", 50)
    (problem,) = problems("http://x/", read=endless)
    assert problem.endswith("the files needed are too many or too large")


def test_references_tell_who_named_what(tmp_path: Path) -> None:
    write(tmp_path, {"t.yaml": VERSION + "x: {get_file: f}", "f": ""})
    (reference,) = discover(str(tmp_path / "t.yaml")).references
    assert reference.referrer == (tmp_path / "t.yaml").as_uri()
    assert (reference.path, reference.text) == (("x", "get_file"), "f")
    assert reference.url == (tmp_path / "f").as_uri()


def test_a_problem_in_a_sent_file_gets_its_line_in_the_users_file(tmp_path: Path) -> None:
    write(tmp_path, {"env.yaml": "parameters:\n  p: 1\n"})
    name = str(tmp_path / "env.yaml")
    found = discover(None, [name])
    (url,) = found.environment_files
    problem = Problem("wrong", ("parameters", "p"), position=Position(url, 1, 17))
    assert str(found.placed(problem)) == f"{name}:2:3: parameters.p: wrong"
    assert found.placed(Problem("elsewhere", file="x")).file == "x"


@pytest.mark.parametrize("url", ["ftp://x/y", "data:,x", "relative", "file://host/x"])
def test_other_addresses_are_not_read(url: str) -> None:
    with pytest.raises(OSError, match="address"):
        read_url(url)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"f": "x" * 11})
    assert read_url((tmp_path / "f").as_uri(), 11) == b"x" * 11
    with pytest.raises(OSError, match="larger than 10 bytes"):
        read_url((tmp_path / "f").as_uri(), 10)


def test_the_answer_of_a_server_that_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(url: str, timeout: float) -> None:
        assert timeout > 0
        raise HTTPError(url, 404, "Not Found", Message(), None)

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(OSError, match="the server answers 404 Not Found"):
        read_url("http://x/y")


def test_an_unreachable_server_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(url: str, timeout: float) -> None:
        raise URLError("connection refused")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(OSError, match="connection refused"):
        read_url("https://x/y")
