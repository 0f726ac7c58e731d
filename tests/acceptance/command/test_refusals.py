"""Whatever is typed, the command answers with a sentence and an exit code, never a traceback."""

import json
from pathlib import Path

import pytest

from hotplate.cli.main import group, run
from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import environment, piped


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the stack `app`, and files that are no templates."""
    folder = tmp_path_factory.mktemp("home")
    write_shop(folder)
    (folder / "bad.yaml").write_text(
        "heat_template_version: wallaby\nresources:\n  a: {properties: {}, type: OS::Heat::Noen}\n",
        encoding="utf-8",
    )
    (folder / "worse.yaml").write_text("{", encoding="utf-8")
    (folder / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    made = piped("up", "app.yaml", "--yes", "--parameter", "pace=0", home=folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["show", "ap"], 5, 'there is no stack "ap"; did you mean "app"?'),
        (["lss"], 2, 'did you mean "ls"?'),
        (["up"], 2, "Missing argument"),
        (["up", "missing.yaml"], 5, "error: missing.yaml: cannot be read"),
        (["up", "app.yaml", "-e", "missing.yaml"], 5, "error: missing.yaml: cannot be read"),
        (["up", "app.yaml", "--environment-list", "missing"], 2, "there is no such file"),
        (["up", "bad.yaml"], 5, "error: bad.yaml:3:23: resources.a.type: "),
        (["up", "worse.yaml"], 5, "error: worse.yaml:1:2"),
        (["up", "binary.yaml"], 5, "error: binary.yaml: is not text in UTF-8"),
        (["up", "app.yaml", "--parameter", "nonsense"], 2, "NAME=VALUE"),
        (["up", "app.yaml", "--parameter", "wrod=1"], 5, 'did you mean "word"?'),
        (["up", "app.yaml", "--parameter-file", "word=missing"], 2, "missing cannot be read"),
        (["up", "app.yaml", "1stack"], 5, "Invalid stack name"),
        (["outputs", "app", "wrod"], 5, 'has no output "wrod"; did you mean "word"?'),
        (["why", "app", "netwrok"], 5, 'did you mean "network"?'),
        (["why", "app", "server"], 5, 'has 2 resources "server"; such as web.0.server'),
        (["resources", "app", "-n", "many"], 2, "neither a number nor MAX"),
        (["resources", "app", "--filter", "colour=red"], 2, "is not one of name"),
        (["rollback", "\x1b[2J"], 5, "there is no stack"),
        (["show", "../../etc"], 5, "there is no stack"),
        (["show", ""], 5, "there is no stack"),
        (["retry", "app"], 5, "has not failed"),
        (["cancel", "app"], 5, "Cancelling update when stack is"),
        (["snapshot", "show", "app", "none"], 5, 'has no snapshot "none"'),
        (["adopt", "x", "app.yaml"], 2, "is not what `hotplate abandon` writes"),
        (["signal", "app", "network", "--data", "{"], 2, "is not JSON"),
        (["types", "OS::Heat::RandmString"], 5, 'did you mean "OS::Heat::RandomString"?'),
        (["ls", "--url", "http://127.0.0.1:1"], 1, "does not answer"),
        (["ls", "--url", "ftp://x"], 2, "is not the address of a server"),
        (["ls", "--os-cloud", "nowhere"], 2, 'there is no cloud "nowhere"'),
        (["ls", "--database", "sqlite:////proc/none/db"], 5, "there is no database /proc/none/db"),
        (["up", "app.yaml", "--yes", "--database", "sqlite:////proc/none/db"], 1, "cannot be used"),
        (["list"], 2, 'did you mean "ls"?'),
        (["validate", "x"], 2, 'did you mean "template validate"?'),
        (["events", "app", "--resource", "netwrok"], 5, 'did you mean "network"?'),
        (["ls", "--database", "oracle://x"], 2, "is not a database that hotplate knows"),
        (["db", "purge", "--stacks", "soon"], 2, "is not an age"),
        (["ls", "--status", "\udcff"], 2, "is not text in UTF-8"),
        (["up", "-"], 2, "a template from standard input has no name"),
        (["help", "upp"], 2, 'did you mean "up"?'),
        (["rollback", "app"], 2, "there is no terminal to ask on"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    for name, text in environment(home).items():
        monkeypatch.setenv(name, text)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOTPLATE_DEBUG", "OS_CLOUD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home)
    assert run(arguments) == code
    told = capsys.readouterr()
    assert words in told.err
    assert "unexpected error" not in told.err
    assert "\x1b" not in told.err + told.out
    assert run([*arguments, "--output", "json"]) == code
    told = capsys.readouterr()
    assert told.err == ""
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert lines
    assert (lines[-1]["type"], lines[-1]["exit_code"]) == ("error", code)


def test_a_file_that_may_not_be_used_is_no_surprise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/srv/hotplate.db.server")

    monkeypatch.setattr(group, "main", refused)
    assert run(["ls"]) == 1
    assert capsys.readouterr().err == "hotplate: /srv/hotplate.db.server: permission denied\n"
    assert run(["ls", "--output=json"]) == 1
    assert json.loads(capsys.readouterr().out)["message"] == (
        "/srv/hotplate.db.server: permission denied"
    )


def test_help_and_version_are_commands_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version"]) == 0
    version = capsys.readouterr().out
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == version
    for asked in (["help"], ["help", "template", "validate"]):
        assert run(asked) == 0
        helped = capsys.readouterr().out
        assert run([*asked[1:], "--help"]) == 0
        assert capsys.readouterr().out == helped


def test_a_template_comes_from_standard_input(tmp_path: Path) -> None:
    write_shop(tmp_path)
    text = (tmp_path / "app.yaml").read_text(encoding="utf-8")
    fast = ("--yes", "--parameter", "pace=0")
    made = piped("up", "-", "piped", *fast, home=tmp_path, given=text)
    assert (made.returncode, made.stderr) == (0, "")
    # The same text under its own name changes nothing.
    again = piped("up", "app.yaml", "piped", *fast, home=tmp_path)
    assert "7 unchanged" in again.stdout.splitlines()[0]
