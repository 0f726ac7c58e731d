"""Lists that nobody could hold in memory are refused before they are read."""

import json

import pytest

from hotplate.engine.embedded import embedded
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.workflow.engine.library import Relatives
from hotplate.workflow.engine.operations import Wanted
from hotplate.workflow.engine.refusals import Wrong
from hotplate.workflow.engine.sub_executions import Depth, below_execution
from hotplate.workflow.running import workflows
from tests.acceptance.workflows.test_on_databases import PROJECT, define, ended, flows_of, run

TEXT = """
version: '2.0'
large:
  input: [text]
  output: {text: <% $.text %>}
  tasks: {t: {workflow: leaf}}
leaf: {tasks: {t: {action: std.noop}}}
asking:
  output: {all: <% executions().len() %>, tasks: <% tasks().len() %>}
  tasks: {t: {action: std.noop}}
"""


def test_a_list_is_no_larger_than_somebody_can_take(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, TEXT)
            begun = [
                await flows.start(PROJECT, Wanted("large", input={"text": "ä" * 10_000}))
                for _ in range(4)
            ]
            for row in begun:
                assert (await ended(flows, row["id"]))["state"] == "SUCCESS"
            # Input and output of each, written as \\u00e4.
            large = (Filter("workflow_name", Comparison.EQ, "large"),)
            whole = 4 * 2 * 6 * 10_000
            with pytest.raises(Wrong, match=r"the list has 4\d{5} bytes, and 400000 are"):
                await flows.entries("executions", ListQuery(PROJECT, large, largest=400_000))
            query = ListQuery(PROJECT, large, largest=whole + 10_000)
            assert len(await flows.entries("executions", query)) == 4
            query = ListQuery(PROJECT, large, limit=2, largest=whole // 2 + 10_000)
            assert len(await flows.entries("executions", query)) == 2
            # One of them can always be seen, and what is not asked for does not count.
            assert (
                len(await flows.entries("executions", ListQuery(PROJECT, limit=1, largest=1))) == 1
            )
            query = ListQuery(PROJECT, large, names=("id", "state"), largest=1)
            rows = await flows.entries("executions", query)
            assert {tuple(row) for row in rows} == {("id", "state")}
            below = await below_execution(flows, PROJECT, begun[0]["id"], Depth())
            assert [row["workflow_name"] for row in below] == ["large", "leaf"]
            asking = await ended(flows, (await flows.start(PROJECT, Wanted("asking")))["id"])
            assert json.loads(asking["output"]) == {"all": 8, "tasks": 9}
            monkeypatch.setattr(Relatives, "_LARGEST", 100_000)
            asking = await ended(flows, (await flows.start(PROJECT, Wanted("asking")))["id"])
            assert asking["state"] == "ERROR"
            assert "100000 are answered at once" in asking["state_info"]

    run(story())
