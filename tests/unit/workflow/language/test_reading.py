"""Text to definitions: what is understood, and what is said about the rest."""

import pytest

from hotplate.document import InvalidDocument
from hotplate.workflow.expressions import Expressions
from hotplate.workflow.language import (
    REQUIRED,
    Event,
    LanguageLimits,
    Workflow,
    read_actions,
    read_workbook,
    read_workflows,
    workflow_of,
)
from hotplate.workflow.model import TaskKind

CHECK = Expressions().check


def only(body: str) -> Workflow:
    (workflow,) = read_workflows(f"version: '2.0'\nw:\n{body}", CHECK)
    return workflow


def faults(body: str) -> list[str]:
    with pytest.raises(InvalidDocument) as refused:
        only(body)
    return [str(problem) for problem in refused.value.problems]


def test_a_workflow_is_read() -> None:
    workflow = only(
        """
  description: what it does
  tags: [a, b]
  input:
    - x
    - y: 5
  vars: {v: 1}
  output: {r: <% $.r %>}
  output-on-error: {e: 1}
  tasks:
    t1:
      action: std.echo output=<% $.x %>
      publish: {r: <% task().result %>}
      on-success:
        publish: {global: {g: 1}, branch: {b: 2}}
        next:
          - t2: <% $.r = 1 %>
          - fail msg="x"
    t2:
      workflow: other a=1
      input: {b: 2}
"""
    )
    assert workflow.inputs == {"x": REQUIRED, "y": 5}
    assert (workflow.description, workflow.tags) == ("what it does", ("a", "b"))
    assert workflow.output_on_error == {"e": 1}
    assert workflow.inbound == {"t1": (), "t2": ("t1",)}
    first, second = workflow.tasks["t1"], workflow.tasks["t2"]
    assert (first.call, first.input) == ("std.echo", {"output": "<% $.x %>"})
    clause = first.clauses[Event.SUCCESS]
    assert clause.publish is not None
    assert (clause.publish.global_, clause.publish.branch) == ({"g": 1}, {"b": 2})
    assert [(t.name, t.guard, t.params) for t in clause.targets] == [
        ("t2", "<% $.r = 1 %>", {}),
        ("fail", "", {"msg": "x"}),
    ]
    assert (second.kind, second.call) == (TaskKind.WORKFLOW, "other")
    assert second.input == {"a": 1, "b": 2}


def test_task_defaults_are_worked_into_the_tasks() -> None:
    workflow = only(
        """
  task-defaults:
    retry: count=3 delay=1
    timeout: 9
    on-error: clean
    safe-rerun: true
  tasks:
    t1: {action: std.noop, timeout: 5, safe-rerun: false}
    clean: {action: std.noop}
"""
    )
    first, clean = workflow.tasks["t1"], workflow.tasks["clean"]
    assert first.policies.timeout == 5
    assert first.policies.safe_rerun is False
    assert clean.policies.safe_rerun is True
    assert first.policies.retry is not None
    assert (first.policies.retry.count, first.policies.retry.delay) == (3, 1)
    assert [target.name for target in first.clauses[Event.ERROR].targets] == ["clean"]
    assert clean.clauses[Event.ERROR].targets == ()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("  tasks: {t1: {acton: std.noop}}", 'did you mean "action"?'),
        ("  tasks: {t1: {on-success: t9}}", 'there is no task "t9"'),
        ("  tasks: {t1: {on-success: tt}, ttt: {action: a}}", 'did you mean "ttt"?'),
        ("  tasks: {t1: null}", "must be a map that is not empty"),
        ("  tasks: {noop: {action: a}}", "engine command"),
        ("  tasks: {t1: {join: two}}", "join must be all, one or a whole number"),
        ("  tasks: {t1: {join: all}}", "join waits for 1 tasks, but 0 lead here"),
        ("  tasks: {t1: {timeout: soon}}", "timeout must be a whole number"),
        ("  tasks: {t1: {timeout: true}}", "timeout must be a whole number"),
        ("  tasks: {t1: {fail-on: maybe}}", "fail-on must be true, false"),
        ("  tasks: {t1: {retry: {count: 1, delay: 1, often: 2}}}", 'retry has no key "often"'),
        ("  tasks: {t1: {retry: {count: 1}}}", "retry needs delay"),
        ("  tasks: {t1: {retry: soon}}", "expected name=value"),
        ("  tasks: {t1: {with-items: x}}", "with-items does not understand"),
        ("  tasks: {t1: {with-items: [1]}}", "with-items must be a list of texts"),
        ("  tasks: {t1: {input: text}}", "input must be a map"),
        ("  tasks: {t1: {action: a b=1, input: <% $.x %>}}", "beside inline parameters"),
        ("  tasks: {t1: {on-success: [{t1: true}]}}", "a guard must be an expression"),
        ("  tasks: {t1: {on-success: [[t1]]}}", "the name of a task, or a map"),
        ("  tasks: {t1: {on-success: {publish: {a: 1}}}}", "publish in a clause"),
        ("  tasks: {t1: {action: ''}}", "action must be a text that is not empty"),
        ("  tasks: {t1: {publish: [1]}}", "publish must be a map"),
        ("  tasks: {t1: {publish: {a: <% $. + %>}}}", "w.tasks.t1.publish"),
        ("  tasks: []", "a workflow needs tasks"),
        ("  type: sideways\n  tasks: {t1: {action: a}}", "direct or reverse"),
        ("  input: {a: 1}\n  tasks: {t1: {action: a}}", "input must be a list"),
        ("  input: [{a: 1, b: 2}]\n  tasks: {t1: {action: a}}", "an input is a name"),
        ("  type: reverse\n  tasks: {a: {requires: b}, b: {requires: a}}", "require each other"),
        ("  type: reverse\n  tasks: {a: {requires: z}}", 'there is no task "z"'),
        ("  tasks: {a: {on-success: b}, b: {on-success: a}}", "no task to begin with"),
    ],
)
def test_a_fault_is_named(body: str, said: str) -> None:
    assert any(said in fault for fault in faults(body)), faults(body)


def test_all_faults_are_reported_with_their_lines() -> None:
    found = faults("  tasks:\n    t1:\n      acton: x\n    t2:\n      join: 7\n")
    assert [fault.split(": ")[:2] for fault in found] == [
        ["workflow:5:7", "w.tasks.t1.acton"],
        ["workflow:7:7", "w.tasks.t2.join"],
    ]


@pytest.mark.parametrize("version", ["'2.0'", "2.0", "2", "'2'"])
def test_versions(version: str) -> None:
    assert read_workflows(f"version: {version}\nw: {{tasks: {{t: {{action: a}}}}}}", CHECK)


@pytest.mark.parametrize(
    "text", ["w: {tasks: {t: {action: a}}}", "version: 3\nw: {}", "version: 2"]
)
def test_texts_that_are_no_list_of_workflows(text: str) -> None:
    with pytest.raises(InvalidDocument):
        read_workflows(text, CHECK)


def test_a_workbook_puts_its_name_in_front() -> None:
    book = read_workbook(
        """
version: '2.0'
name: book
actions:
  hello: {base: std.echo output="hello"}
workflows:
  version: '2.0'
  w: {tasks: {t: {action: hello}}}
""",
        CHECK,
    )
    assert [action.name for action in book.actions] == ["book.hello"]
    assert [workflow.name for workflow in book.workflows] == ["book.w"]
    (workflow,) = book.workflows
    again = workflow_of(workflow.text, "book.w", "book")
    assert (again.name, again.workbook, again.tasks) == ("book.w", "book", workflow.tasks)


def test_each_workflow_of_a_list_has_a_text_of_its_own() -> None:
    text = "version: '2.0'\na: {tasks: {t: {action: x}}}\nb: {tasks: {t: {action: y}}}\n"
    for workflow in read_workflows(text, CHECK):
        assert workflow_of(workflow.text, workflow.name).tasks == workflow.tasks
        (alone,) = read_workflows(workflow.text, CHECK)
        assert alone.name == workflow.name


def test_ad_hoc_actions() -> None:
    text = """
version: '2.0'
a:
  base: std.echo delay=1
  base-input: {output: <% $.x %>}
  input: [x, {y: 2}]
  output: {said: <% $ %>}
"""
    (action,) = read_actions(text, CHECK)
    assert action.base == "std.echo"
    assert action.base_input == {"output": "<% $.x %>", "delay": 1}
    assert action.inputs == {"x": REQUIRED, "y": 2}
    assert action.output == {"said": "<% $ %>"}


@pytest.mark.parametrize("body", ["{}", "{base: ''}", "{base: a, bse: b}", "{base: a x=y}", "[]"])
def test_ad_hoc_actions_that_are_refused(body: str) -> None:
    with pytest.raises(InvalidDocument):
        read_actions(f"version: '2.0'\na: {body}", CHECK)


def test_definitions_are_bounded() -> None:
    limits = LanguageLimits(text_bytes=2000, items=2, tasks=3, expressions=4)
    many = ", ".join("<% $.a %>" for _ in range(5))
    tasks = ", ".join(f"t{n}: {{action: a}}" for n in range(4))
    flows = "\n".join(f"w{n}: {{tasks: {{t: {{action: a}}}}}}" for n in range(3))
    for text, said in (
        (f"version: 2\nw: {{tasks: {{{tasks}}}}}", "4 tasks are more than the 3"),
        (f"version: 2\n{flows}", "3 definitions are more than 2"),
        ("version: 2\n" + "#" * 3000, "larger than 2000 bytes"),
        (
            f"version: 2\nw: {{vars: {{v: [{many}]}}, tasks: {{t: {{action: a}}}}}}",
            "more than 4 exp",
        ),
    ):
        with pytest.raises(InvalidDocument, match=said):
            read_workflows(text, CHECK, limits)


def test_a_thousand_tasks_that_all_lead_to_each_other_are_read_quickly() -> None:
    names = [f"t{n}" for n in range(150)]
    targets = ", ".join(names)
    tasks = "\n".join(f"    {name}: {{on-success: [{targets}]}}" for name in names)
    workflow = only(f"  tasks:\n    begin: {{on-success: t0}}\n{tasks}\n")
    assert len(workflow.inbound["t7"]) == 150
