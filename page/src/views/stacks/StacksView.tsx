/** The list of stacks. */
import { useEffect } from "preact/hooks";
import type { StackSummary } from "../../api/types";
import { ago } from "../../model/times";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { now } from "../../state/clock";
import { stackHref } from "../../state/route";
import { loadStacks, stacks, stacksError } from "../../state/stacks";

const columns: Column<StackSummary>[] = [
    {
        id: "name",
        title: "Name",
        sort: (row) => row.stack_name,
        cell: (row) => (
            <a href={stackHref({ name: row.stack_name, id: row.id })}>{row.stack_name}</a>
        ),
    },
    {
        id: "status",
        title: "Status",
        sort: (row) => row.stack_status,
        cell: (row) => <StatusBadge status={row.stack_status} />,
    },
    {
        id: "age",
        title: "Age",
        sort: (row) => -Date.parse(row.creation_time),
        cell: (row) => ago(row.creation_time, now.value),
    },
];

export default function StacksView() {
    useEffect(() => void loadStacks(), []);
    if (stacksError.value)
        return <ErrorBox error={stacksError.value} onRetry={() => void loadStacks()} />;
    if (stacks.value === null) return <Loading what="Stacks" />;
    return (
        <div class="page-body">
            <h1>Stacks</h1>
            {stacks.value.length === 0 ? (
                <Empty title="No stacks yet">
                    <p>
                        A stack is what a template becomes. Bring one up with{" "}
                        <code>hotplate up app.yaml</code>.
                    </p>
                </Empty>
            ) : (
                <Table
                    label="Stacks"
                    columns={columns}
                    rows={stacks.value}
                    keyOf={(row) => row.id}
                    initial="name"
                />
            )}
        </div>
    );
}
