"""`hotplate template validate`: the real command on real files."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance import warm_command

COMMAND = Path(sys.executable).with_name("hotplate")
VERSION = "heat_template_version: wallaby\n"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    problems: list[str]

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Validate = Callable[..., Answer]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], None]:
    def write_file(name: str, content: str | bytes) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write_file


@pytest.fixture
def validate(tmp_path: Path) -> Validate:
    def run(*arguments: str) -> Answer:
        done = warm_command.run(["template", "validate", *arguments], os.environ, tmp_path)
        return Answer(done.returncode, done.stdout, done.stderr.splitlines())

    return run


Write = Callable[[str, str | bytes], None]

NUMBERS = VERSION + "parameters: {n: {type: number}, m: {type: number, default: 1}}\n"


def test_a_valid_template_is_said_to_be_valid(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "resources: {r: {type: OS::Heat::None}}\n")
    assert validate("t.yaml") == Answer(0, "t.yaml: valid\n", [])


def test_a_template_in_json_is_valid_too(write: Write, validate: Validate) -> None:
    write("t.json", '{"heat_template_version": "2018-08-31"}')
    assert validate("t.json").code == 0


def test_parameters_without_a_value_are_named(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    assert validate("t.yaml") == Answer(0, "t.yaml: valid; still needs a value for n\n", [])


def test_every_error_is_printed_with_its_place_in_reading_order(
    write: Write, validate: Validate
) -> None:
    text = """resources:
  r:
    type: X
    propertys: {}
    metadata: {m: {get_param: nope}}
parameters:
  p: {type: number, default: x}
zebra: 1
"""
    write("t.yaml", VERSION + text)
    answer = validate("t.yaml")
    assert answer.code == 1
    assert answer.out == "t.yaml: not valid, 4 errors\n"
    assert [line.rsplit("; ")[0] for line in answer.problems] == [
        'error: t.yaml:5:5: resources.r.propertys: unknown key "propertys"',
        "error: t.yaml:6:20: resources.r.metadata.m.get_param: "
        'get_param: there is no parameter "nope"',
        "error: t.yaml:8:21: parameters.p.default: the default is invalid: 'x' is not a number",
        'error: t.yaml:9:1: zebra: unknown section "zebra"',
    ]


def test_types_and_properties_are_looked_at_even_while_values_are_missing(
    write: Write, validate: Validate
) -> None:
    write(
        "t.yaml",
        NUMBERS
        + "resources:\n"
        + "  a: {type: OS::Heat::Noen}\n"
        + "  b: {type: OS::Heat::RandomString, properties: {lenght: 3}}\n"
        + "  c: {type: inner.yaml, properties: {n: {get_param: n}}}\n",
    )
    write("inner.yaml", NUMBERS + "resources:\n  d: {type: OS::Heat::Valeu}\n")
    answer = validate("t.yaml")
    assert answer.code == 1
    assert answer.problems == [
        'error: t.yaml:4:7: resources.a.type: there is no resource type "OS::Heat::Noen"; '
        'did you mean "OS::Heat::None"?',
        "error: t.yaml:5:50: resources.b.properties.lenght: Unknown Property lenght; "
        'did you mean "length"?',
        'error: inner.yaml:4:7: resources.d.type: there is no resource type "OS::Heat::Valeu"; '
        'did you mean "OS::Heat::Value"?',
    ]


def test_a_syntax_error_is_printed_with_its_place(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "resources:\n\tr: {}\n")
    answer = validate("t.yaml")
    assert answer.code == 1
    (problem,) = answer.problems
    assert problem.startswith("error: t.yaml:3:1: not valid YAML: ")
    assert problem.endswith("indent with spaces, not tabs")


def test_warnings_are_printed_and_refuse_nothing(write: Write, validate: Validate) -> None:
    write(
        "t.yaml", VERSION + "resources: {}\noutputs: {}\nresources: {r: {type: OS::Heat::None}}\n"
    )
    answer = validate("t.yaml")
    assert answer.code == 0
    assert answer.out == "t.yaml: valid, 1 warning\n"
    assert answer.problems == [
        'warning: t.yaml:4:1: resources: the key "resources" is given twice; '
        "the last one counts; remove the other"
    ]


def test_a_warning_is_printed_once(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "description: [a]\n")
    assert validate("t.yaml").problems == [
        "warning: t.yaml:2:1: description: should be a text, not a list"
    ]


def test_the_last_environment_wins_and_a_wrong_value_is_shown_where_it_stands(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", NUMBERS)
    write("one.yaml", "parameters: {n: 1, m: x}\n")
    write("env/two.yaml", "parameters:\n  n: y\n")
    answer = validate("t.yaml", "-e", "one.yaml", "-e", "env/two.yaml")
    assert answer.code == 1
    assert sorted(answer.problems) == [
        "error: env/two.yaml:2:3: parameters.n: the value of n is invalid: 'y' is not a number",
        "error: one.yaml:1:20: parameters.m: the value of m is invalid: 'x' is not a number",
    ]
    assert validate("t.yaml", "-e", "env/two.yaml", "-e", "one.yaml").problems == [
        "error: one.yaml:1:20: parameters.m: the value of m is invalid: 'x' is not a number"
    ]


def test_a_parameter_of_the_command_wins_over_environments(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", NUMBERS)
    write("e.yaml", "parameters: {n: x}\n")
    assert validate("t.yaml", "-e", "e.yaml", "--parameter", "n=5").code == 0
    answer = validate("t.yaml", "-e", "e.yaml", "--parameter", "n=5", "--parameter", "m=a=b")
    assert answer.problems == [
        "error: explicit parameters: parameters.m: the value of m is invalid: 'a=b' is not a number"
    ]


def test_a_hidden_value_is_not_printed(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "parameters: {n: {type: number, hidden: true}}\n")
    answer = validate("t.yaml", "--parameter", "n=hunter2")
    assert answer.code == 1
    assert "hunter2" not in answer.out + "".join(answer.problems)


def test_faulty_environments_are_reported_with_the_template(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    write("e.yaml", "parameters: {}\nlion: 1\n")
    places = [line.split(": ")[1] for line in validate("t.yaml", "-e", "e.yaml").problems]
    assert places == ["t.yaml:2:1", "e.yaml:2:1"]


NESTING = VERSION + "resources:\n  r:\n    type: %s\n"


def test_a_missing_nested_file_is_reported_with_the_place_that_names_it(
    write: Write, validate: Validate, tmp_path: Path
) -> None:
    write("t.yaml", NESTING % "in.yaml")
    answer = validate("t.yaml")
    assert answer.code == 1
    assert answer.problems == [
        'error: t.yaml:4:5: resources.r.type: the file "in.yaml" cannot be read: '
        f"there is no such file; looked for {tmp_path}/in.yaml"
    ]


def test_language_only_looks_at_no_other_file(write: Write, validate: Validate) -> None:
    write("t.yaml", NESTING % "in.yaml" + "    properties: {u: {get_file: no.sh}}\n")
    assert validate("--language-only", "t.yaml") == Answer(0, "t.yaml: valid\n", [])


def test_language_only_still_finds_what_is_wrong_with_the_language(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    write("e.yaml", "lion: 1\n")
    assert len(validate("--language-only", "t.yaml", "-e", "e.yaml").problems) == 2


def test_a_missing_file_of_get_file_is_reported_with_other_errors(
    write: Write, validate: Validate
) -> None:
    text = """resources:
  r:
    type: X
    properties:
      u: {get_file: scripts/no.sh}
    zebra: 1
"""
    write("t.yaml", VERSION + text)
    problems = validate("t.yaml").problems
    assert len(problems) == 2
    assert problems[0].startswith(
        "error: t.yaml:6:11: resources.r.properties.u.get_file: "
        'the file "scripts/no.sh" cannot be read: there is no such file; looked for /'
    )
    assert problems[1].startswith("error: t.yaml:7:5: resources.r.zebra: unknown key")


def test_a_missing_file_of_an_environment_is_reported_there(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", VERSION)
    write("e.yaml", "resource_registry:\n  My::Type: no.yaml\n")
    (problem,) = validate("t.yaml", "-e", "e.yaml").problems
    assert problem.startswith('error: e.yaml:2:3: resource_registry.My::Type: the file "no.yaml"')


def test_an_error_of_a_nested_template_has_the_line_of_the_nested_file(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", NESTING % "lib/in.yaml")
    write("lib/in.yaml", VERSION + "resources:\n  s: {type: deep.yaml, zebra: 1}\n")
    write("lib/deep.yaml", VERSION + "\n\nlion: 1\n")
    answer = validate("t.yaml")
    assert answer.code == 1
    places = {line.split(": ")[1] for line in answer.problems}
    assert "lib/in.yaml:3:24" in places


def test_all_nested_templates_are_looked_at(write: Write, validate: Validate) -> None:
    write("t.yaml", NESTING % "lib/in.yaml")
    write("lib/in.yaml", VERSION + "resources:\n  s: {type: deep.yaml}\n")
    write("lib/deep.yaml", VERSION + "\n\nlion: 1\n")
    (problem,) = validate("t.yaml").problems
    assert problem.startswith('error: lib/deep.yaml:4:1: lion: unknown section "lion"')


def test_a_nested_file_that_is_no_yaml_has_its_line(
    write: Write, validate: Validate, tmp_path: Path
) -> None:
    write("t.yaml", NESTING % "in.yaml")
    write("in.yaml", VERSION + "resources: [\n")
    (problem,) = validate("t.yaml").problems
    assert problem.startswith(f"error: {tmp_path}/in.yaml:3:1: not valid YAML: ")


def test_templates_that_contain_each_other_are_refused(write: Write, validate: Validate) -> None:
    write("a.yaml", NESTING % "b.yaml")
    write("b.yaml", NESTING % "a.yaml")
    answer = validate("a.yaml")
    assert answer.code == 1
    (problem,) = answer.problems
    assert problem.startswith("error: b.yaml:4:5: resources.r.type: a template cannot contain")


def test_a_file_that_is_not_there_is_reported_once(
    write: Write, validate: Validate, tmp_path: Path
) -> None:
    write("t.yaml", VERSION)
    answer = validate("no.yaml")
    assert answer == Answer(
        1,
        "no.yaml: not valid, 1 error\n",
        [f"error: no.yaml: cannot be read: there is no such file; looked for {tmp_path}/no.yaml"],
    )
    assert len(validate("t.yaml", "-e", "no.yaml").problems) == 1


def test_a_directory_is_no_template(validate: Validate, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (problem,) = validate("dir").problems
    assert problem.startswith("error: dir: cannot be read: it is a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_reported(
    write: Write, validate: Validate, tmp_path: Path
) -> None:
    write("t.yaml", VERSION)
    (tmp_path / "t.yaml").chmod(0)
    (problem,) = validate("t.yaml").problems
    assert problem.startswith("error: t.yaml: cannot be read: it may not be read")


def test_a_file_that_is_not_utf_8_is_reported_once(write: Write, validate: Validate) -> None:
    write("t.yaml", b"heat_template_version: wallaby\ndescription: \xff\n")
    assert validate("t.yaml").problems == ["error: t.yaml: is not text in UTF-8"]


def test_json_output_has_the_documented_shape(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS + "resources: {}\nresources: {r: {type: X}}\n")
    answer = validate("t.yaml", "--parameter", "m=x", "--output", "json")
    assert answer.code == 1
    assert answer.problems == []
    assert answer.data["valid"] is False
    assert answer.data["errors"] == [
        {
            "file": "explicit parameters",
            "line": None,
            "column": None,
            "path": "parameters.m",
            "message": "the value of m is invalid: 'x' is not a number",
            "hint": "",
        }
    ]
    assert answer.data["warnings"] == [
        {
            "file": "t.yaml",
            "line": 4,
            "column": 1,
            "path": "resources",
            "message": 'the key "resources" is given twice',
            "hint": "the last one counts; remove the other",
        }
    ]


def test_json_output_of_a_valid_template(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    answer = validate("t.yaml", "--output", "json")
    assert answer.code == 0
    assert answer.data == {
        "valid": True,
        "errors": [],
        "warnings": [],
        "missing_parameters": ["n"],
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'FILE'"),
        (["t.yaml", "--parameter", "n"], '"n" is not of the form NAME=VALUE'),
        (["t.yaml", "--parameter", "=5"], '"=5" is not of the form NAME=VALUE'),
        (["t.yaml", "--output", "xml"], "'xml' is not one of 'text', 'json'"),
        (["t.yaml", "--zebra"], "No such option"),
        (["t.yaml", "more.yaml"], "Got unexpected extra argument (more.yaml)"),
    ],
)
def test_wrong_usage_exits_with_2(
    write: Write, validate: Validate, arguments: list[str], words: str
) -> None:
    write("t.yaml", NUMBERS)
    answer = validate(*arguments)
    assert answer.code == 2
    assert words in answer.problems[-1]


def test_there_are_no_colours_where_there_is_no_terminal(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    answer = validate("t.yaml")
    assert "\x1b" not in answer.out + "".join(answer.problems)


@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("1", False), ("", True)])
def test_colours_on_a_terminal_can_be_switched_off(
    write: Write, tmp_path: Path, no_color: str | None, coloured: bool
) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    if no_color is not None:
        environment["NO_COLOR"] = no_color
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [COMMAND, "template", "validate", "t.yaml"],
            cwd=tmp_path,
            env=environment,
            stdout=theirs,
            stderr=theirs,
            check=False,
        )
        printed = os.read(ours, 10_000).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 1
    assert "t.yaml:2:1: zebra: unknown section" in printed
    assert ("\x1b[" in printed) is coloured


def test_help_explains_every_option(validate: Validate) -> None:
    answer = validate("--help")
    assert answer.code == 0
    for option in ("--environment", "--parameter", "--language-only", "--output"):
        assert option in answer.out


def test_v23_a_file_may_list_the_environments(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    write("envs/wrong.yaml", "{parameters: {n: x}}")
    write("envs/right.yaml", "{parameters: {n: 1}}")
    write("envs/list", "# defaults first\nwrong.yaml\n\n  right.yaml  # ours\n")
    assert validate("--environment-list", "envs/list", "t.yaml").code == 0
    assert validate("--environment-list=envs/list", "-e", "envs/right.yaml", "t.yaml").code == 0


def test_v23_a_list_stands_in_its_place_among_other_environments(
    write: Write, validate: Validate
) -> None:
    write("t.yaml", NUMBERS)
    write("wrong.yaml", "{parameters: {n: x}}")
    write("right.yaml", "{parameters: {n: 1}}")
    write("list.yaml", "- right.yaml\n- wrong.yaml\n- right.yaml\n")
    wrong, listed = ("-e", "wrong.yaml"), ("--environment-list", "list.yaml")
    assert validate(*wrong, *listed, "t.yaml").code == 0
    assert validate(*listed, *wrong, "t.yaml").code == 1
    assert validate(*listed, *wrong, *listed, "t.yaml").code == 0


def test_v23_a_list_that_cannot_be_read_is_named(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    missing = validate("--environment-list", "nowhere", "t.yaml")
    assert missing.code == 2
    assert "nowhere: there is no such file" in missing.problems[-1]
    write("list.yaml", "- {a: b}\n")
    assert (
        "list.yaml: it is no list of names"
        in validate("--environment-list", "list.yaml", "t.yaml").problems[-1]
    )
    write("list.txt", "lost.yaml\n")
    lost = validate("--environment-list", "list.txt", "t.yaml")
    assert lost.code == 1
    assert lost.problems[0].startswith("error: lost.yaml: cannot be read: there is no such file")
    assert validate("t.yaml", "--environment-list").code == 2


def test_a_template_that_cannot_stand_for_a_type_is_named_with_its_line(
    write: Write, validate: Validate
) -> None:
    write("app.yaml", f"{VERSION}resources: {{s: {{type: 'OS::Heat::RandomString'}}}}\n")
    write("env.yaml", "resource_registry: {'OS::Heat::RandomString': sub/secret.yaml}\n")
    write("sub/secret.yaml", f"{VERSION}outputs:\n  secret: {{value: x}}\n")
    answer = validate("app.yaml", "-e", "env.yaml")
    assert answer.code == 1
    (problem,) = answer.problems
    assert problem.startswith("error: sub/secret.yaml:2:1: outputs: ")
    assert 'cannot stand for OS::Heat::RandomString: it has no output "value"' in problem


def test_properties_are_checked_and_types_of_other_engines_are_not(
    write: Write, validate: Validate
) -> None:
    write(
        "app.yaml",
        f"{VERSION}resources:\n"
        "  other: {type: 'OS::Nowhere::Thing', properties: {x: 1}}\n"
        "  secret:\n    type: OS::Heat::RandomString\n    properties:\n      lenth: 3\n",
    )
    answer = validate("app.yaml")
    assert answer.code == 1
    wrong, warned = answer.problems
    assert "app.yaml:7:7: resources.secret.properties.lenth: Unknown Property lenth" in wrong
    assert warned == (
        "warning: app.yaml:3:11: resources.other.type: there is no resource type "
        '"OS::Nowhere::Thing"; a server may have it; name it with --url'
    )


def test_what_is_wrong_with_the_text_hides_nothing_of_the_types(
    write: Write, validate: Validate
) -> None:
    write(
        "t.yaml",
        VERSION
        + "resources:\n"
        + "  a: {type: OS::Heat::RandomString, properties: {length: {get_param: no}}}\n"
        + "  b: {type: OS::Heat::RandomStrin}\n"
        + "  c: {type: OS::Heat::TestResource, properties: {value: {get_attr: [a, value]}}}\n"
        + "outputs:\n"
        + "  o: {value: {get_attr: [c, outptu]}}\n"
        + "  p: {value: {get_param: nothing}}\n",
    )
    found = validate("t.yaml")
    assert found.code == 1
    assert [line.split(": ")[1:3] for line in found.problems] == [
        ["t.yaml:3:59", "resources.a.properties.length.get_param"],
        ["t.yaml:4:7", "resources.b.type"],
        ["t.yaml:7:29", "outputs.o.value.get_attr.1"],
        ["t.yaml:8:15", "outputs.p.value.get_param"],
    ]
