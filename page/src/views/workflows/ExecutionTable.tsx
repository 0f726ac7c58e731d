import type { ExecutionHead } from "../../api/workflows";
import { ago, span, timeOf } from "../../model/times";
import { timeText, toneOfState } from "../../model/workflow";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { now } from "../../state/clock";
import { sectionHref } from "../../state/route";
import { State } from "./State";

const begun = (row: ExecutionHead): number => timeOf(timeText(row.created_at));

function duration(row: ExecutionHead): number {
    const isOver = ["done", "failed"].includes(toneOfState(row.state));
    return (isOver ? timeOf(timeText(row.updated_at)) : now.value) - begun(row);
}

const columns: Column<ExecutionHead>[] = [
    {
        id: "workflow",
        title: "Workflow",
        sort: (row) => row.workflow_name,
        cell: (row) => <a href={sectionHref("workflows", row.id)}>{row.workflow_name}</a>,
    },
    {
        id: "state",
        title: "State",
        sort: (row) => row.state,
        cell: (row) => <State state={row.state} />,
    },
    {
        id: "begun",
        title: "Begun",
        sort: (row) => -begun(row),
        cell: (row) => ago(timeText(row.created_at), now.value),
    },
    {
        id: "took",
        title: "Took",
        isNumber: true,
        sort: duration,
        cell: (row) => span(duration(row)),
    },
    {
        id: "reason",
        title: "Reason",
        cell: (row) =>
            row.state_info ? <span class="workflows-reason">{row.state_info}</span> : null,
    },
];

export function ExecutionTable({ executions }: { executions: readonly ExecutionHead[] }) {
    return (
        <Table
            label="Executions"
            columns={columns}
            rows={executions}
            keyOf={(row) => row.id}
            initial="begun"
        />
    );
}
