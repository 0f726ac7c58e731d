import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hotplate.cli.commands.running.policy import policy


def run(home: Path, *arguments: str) -> tuple[int, str]:
    """Return the exit code and what was printed."""
    runner = CliRunner(env={"HOME": str(home), "XDG_CONFIG_HOME": "", "HOTPLATE_CONFIG": ""})
    found = runner.invoke(policy, [*arguments], standalone_mode=False)
    if found.exception:
        raise found.exception
    return int(found.return_value), found.output


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A home with a policy that says something of two rules."""
    folder = tmp_path / ".config" / "hotplate"
    folder.mkdir(parents=True)
    text = '"stacks:create": "role:operator or rule:project_admin"\n"stacks:craete": "!"\n'
    (folder / "policy.yaml").write_text(text)
    return tmp_path


def test_all_rules_are_listed_with_where_they_are_from(changed: Path) -> None:
    code, out = run(changed)
    assert code == 0
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert lines["stacks:delete"].endswith("[default]")
    assert "policy.yaml (default: role:member and" in lines["stacks:create"]
    assert 'nothing asks about the rule "stacks:craete"' in out


def test_a_program_gets_the_changed_ones_as_json(changed: Path) -> None:
    code, out = run(changed, "show", "--changed", "--output", "json")
    assert code == 0
    assert {json.loads(line)["name"] for line in out.splitlines()} == {
        "stacks:create",
        "stacks:craete",
    }


@pytest.mark.parametrize(
    ("roles", "rule", "code", "words"),
    [
        ("operator", "stacks:create", 0, "yes: stacks:create is role:operator or"),
        ("member", "stacks:create", 1, "role:operator does not hold"),
        ("admin", "stacks:create", 0, "role:admin holds"),
        ("member", "OS::Keystone::User", 1, "no: resource_types:OS::Keystone::*"),
        ("reader", "OS::Nova::Server", 0, "no rule is about it"),
        ("reader", "stacks:nonsense", 2, "there is no rule"),
        ("reader", "nonsense", 2, "there is no rule"),
    ],
)
def test_may_they(changed: Path, roles: str, rule: str, code: int, words: str) -> None:
    found, out = run(changed, "check", "--roles", roles, rule)
    assert found == code
    assert words in out


def test_a_policy_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    code, out = run(tmp_path, "show", "--policy-file", str(tmp_path / "missing"))
    assert code == 2
    assert "there is no policy" in out
