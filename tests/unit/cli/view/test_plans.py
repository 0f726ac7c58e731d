"""Plans as people read them: equal members once, numbers in their order, every branch seen."""

import click
import pytest

from hotplate.cli.answers.plan import Path, Plan, PlannedStep, PropertyChange, Step, plan_of_update
from hotplate.cli.output.output import Output
from hotplate.cli.view.folding import fair, folded_steps
from hotplate.cli.view.plans import question, show_plan


def step(*path: str, kind: str = "T", do: Step = Step.CREATE, new: object = None) -> PlannedStep:
    changes = () if new is None else (PropertyChange("size", 1, new, is_in_place=True),)
    return PlannedStep(path, kind, do, changes=changes)


def group(name: str, count: int, new: object = None) -> list[PlannedStep]:
    members = [
        each
        for number in range(count)
        for each in (step(name, str(number), new=new), step(name, str(number), "server", new=new))
    ]
    return [step(name, kind="OS::Heat::ResourceGroup"), *members]


def paths(steps: list[PlannedStep], with_every: bool = False) -> list[tuple[str, int]]:
    return [(each.dotted, each.count) for each in folded_steps(steps, with_every)]


def test_equal_members_are_told_once() -> None:
    assert paths(group("workers", 20)) == [
        ("workers", 1),
        ("workers.0-19", 20),
        ("workers.0-19.server", 20),
    ]
    assert len(paths(group("workers", 20), with_every=True)) == 41


def test_members_that_differ_are_told_apart() -> None:
    steps = group("workers", 6)
    steps[6] = step("workers", "2", "server", new=5)
    assert paths(steps) == [
        ("workers", 1),
        ("workers.0-1,3-5", 5),
        ("workers.0-1,3-5.server", 5),
        ("workers.2", 1),
        ("workers.2.server", 1),
    ]


def test_two_members_are_not_worth_it_and_neighbours_are_no_members() -> None:
    assert [dotted for dotted, _ in paths(group("web", 2))] == [
        "web",
        "web.0",
        "web.0.server",
        "web.1",
        "web.1.server",
    ]
    assert len(paths([step("a"), step("b"), step("c"), step("d")])) == 4


def test_members_without_numbers_are_counted() -> None:
    steps = [step("g", kind="OS::Heat::AutoScalingGroup"), *(step("g", name) for name in "xyz")]
    assert paths(steps) == [("g", 1), ("g.(3 members)", 3)]


def test_what_stays_is_not_told() -> None:
    steps = group("workers", 5)
    steps[1] = step("workers", "0", do=Step.LEAVE)
    steps[2] = step("workers", "0", "server", do=Step.LEAVE)
    assert paths(steps)[1:] == [("workers.1-4", 4), ("workers.1-4.server", 4)]


def test_what_is_replaced_and_what_is_left_of_it_are_both_told() -> None:
    steps = [step("a", do=Step.REPLACE), step("a", do=Step.DELETE)]
    assert [each.step.step for each in folded_steps(steps)] == [Step.REPLACE, Step.DELETE]


def test_numbers_go_upwards() -> None:
    items = [
        {"resource_name": "g", "path": ["g", str(n)], "resource_type": str(n)} for n in (10, 9, 2)
    ]
    items += [{"resource_name": f"disk{n}", "resource_type": "T"} for n in (10, 9)]
    plan = plan_of_update({"resource_changes": {"added": items}})
    expected: list[Path] = [("disk9",), ("disk10",), ("g", "2"), ("g", "9"), ("g", "10")]
    assert [each.path for each in plan.steps] == expected


def test_a_long_branch_hides_no_other() -> None:
    long = [step("a", f"x{number}", new=number) for number in range(500)]
    shown, left = fair(folded_steps([*long, step("b"), step("z")]), 200)
    assert len(shown) == 200
    assert [each.dotted for each in shown[-2:]] == ["b", "z"]
    assert left == {"a": 302}


def test_old_and_new_have_colours_and_lines_still_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = Output()
    output.color = True
    monkeypatch.setattr(Output, "width", property(lambda _: 60))
    wide = step("a", do=Step.UPDATE, new="some words that are quite long " * 2)
    show_plan(output, "app", Plan((wide,)), is_new=False)
    lines = capsys.readouterr().out.splitlines()
    assert "\x1b[31m1\x1b[0m" in lines[2]
    assert "\x1b[32msome words" in "".join(lines)
    assert all(len(click.unstyle(line)) <= 60 for line in lines)


def test_the_question_repeats_the_sums() -> None:
    plan = Plan((step("a"), step("b", do=Step.LEAVE)))
    assert question("Update app", plan) == "1 to create, 1 unchanged. Update app?"
