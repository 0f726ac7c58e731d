"""Expressions of workflows are evaluated elsewhere, whatever they ask for; here with a stand-in."""

import asyncio
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.bounded import Evaluation
from hotplate.workflow.engine import pooled_expressions
from hotplate.workflow.engine.pooled_expressions import PooledExpressions
from hotplate.workflow.expressions import BadExpression, ExpressionLimits, Expressions


class Run:
    """What an expression can see of a run, and what it asked for."""

    def __init__(self) -> None:
        self.data = {"names": ["a", "b"], "n": 3}
        self.asked: list[tuple[Any, ...]] = []

    def env(self) -> Any:
        return {"e": 1}

    def uuid(self) -> str:
        return "u"

    def execution(self) -> Any:
        self.asked.append(("execution",))
        return {"id": "x", "input": {"k": [1, 2]}}

    def task(self, name: str | None) -> Any:
        self.asked.append(("task", name))
        text = "x" * 3_000_000 if name and name.startswith("large") else ""
        return {"name": name or "me", "text": text, "result": {"items": [1, 2, 3]}}

    def tasks(self, *given: Any) -> list[Any]:
        self.asked.append(("tasks", *given))
        return [{"name": "a", "state": "ERROR"}, {"name": "b", "state": "SUCCESS"}]

    def executions(self, *given: Any) -> list[Any]:
        self.asked.append(("executions", *given))
        if given[3]:
            raise ValueError("that is no time")
        return [{"id": "y"}]

    def global_value(self, name: str) -> Any:
        self.asked.append(("global", name))
        return name


class Pool:
    """Evaluates after everything went through a pickle, as to another process and back."""

    def __init__(self) -> None:
        self.sent = 0

    async def evaluate(self, evaluation: Evaluation[Any]) -> Any:
        self.sent += 1
        found = pickle.loads(pickle.dumps(evaluation)).run(None, None)
        return pickle.loads(pickle.dumps(found))


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.fixture
def expressions(pool: Pool) -> Iterator[PooledExpressions]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield PooledExpressions("p", ExpressionLimits(), pool, loop)  # type: ignore[arg-type]
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("<% $.n %> <% task().result.items %> <% execution().input.k %> <% task(one).name %>", 0),
        ("<% task().result.items.select($ * 2) %>", 1),
        ("<% task('some-task').result.items.len() %>", 1),
        ("{{ task('one').result['items'] | length }} {{ execution().id }}", 1),
        ("<% tasks().where($.state = ERROR).select($.name) %>", 2),
        ("<% executions().select($.id) %>", 2),
        ("<% $.names.select(task($).result.items.sum()) %>", 3),
        ("<% tasks(execution().id, true, SUCCESS).len() + executions(x).len() %>", 3),
        ({"a": ["<% global(word) %>"], "b": "{{ tasks() | length }}"}, 3),
        ("{{ executions() | default('none') }}", 2),
    ],
)
def test_they_give_what_they_give_where_the_run_is(
    expressions: PooledExpressions, pool: Pool, value: Any, sent: int
) -> None:
    assert expressions.evaluate(value, Run()) == Expressions().evaluate(value, Run())
    assert pool.sent == sent


def test_nothing_is_asked_twice(expressions: PooledExpressions) -> None:
    run = Run()
    expressions.evaluate("<% [tasks(), tasks(), task(), task()].len() %>", run)
    assert run.asked == [("task", None), ("tasks", None, False, None, False)]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("<% range(30).select(task(str($))) %>", "more than 20 tasks"),
        ("<% range(9).select(task('large' + str($)).name) %>", "more than 16000000 bytes"),
        ("<% executions(null, null, null, nonsense) %>", "that is no time"),
        ("<% task([1]) %>", r"task\(\) is asked with texts"),
        ("<% task(one).nothing + 1 + x %>", "failed"),
    ],
)
def test_what_asks_for_too_much_is_refused(
    expressions: PooledExpressions, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With each answer the whole expression is evaluated anew: a tenth shows what all would.
    monkeypatch.setattr(pooled_expressions, "_MOST_QUESTIONS", 20)
    with pytest.raises(BadExpression, match=words):
        expressions.evaluate(value, Run())
