"""`hotplate template validate`: files that a template needs, and files that cannot be read."""

import os
from pathlib import Path

import pytest

from tests.acceptance.command.template_validate.validation import VERSION, Answer, Validate, Write

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
