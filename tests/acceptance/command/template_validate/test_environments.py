"""`hotplate template validate`: environments and parameters that come with the template."""

from tests.acceptance.command.template_validate.validation import NUMBERS, VERSION, Validate, Write


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
