/** What a stack gives to others. */
import { showOutputs } from "../../api/recipe";
import type { Output } from "../../api/types";
import { CopyButton } from "../../parts/CopyButton";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { useLoaded } from "../../parts/useLoaded";
import { shownValue, Value } from "../../parts/Value";
import type { StackStore } from "../../state/stack";

/** What the API says of an output that says nothing of itself. */
const NO_DESCRIPTION = "No description given";

const columns: Column<Output>[] = [
    {
        id: "key",
        title: "Output",
        sort: (row) => row.output_key,
        cell: (row) => (
            <>
                <b>{row.output_key}</b>
                {row.description !== NO_DESCRIPTION && (
                    <div class="muted">{row.description}</div>
                )}
            </>
        ),
    },
    {
        id: "value",
        title: "Value",
        cell: (row) =>
            row.output_error ? (
                <span class="failed">{row.output_error}</span>
            ) : (
                <>
                    <Value value={row.output_value} />
                    {row.output_note && <div class="muted">{row.output_note}</div>}
                </>
            ),
    },
    {
        id: "copy",
        title: "Copy",
        cell: (row) => (
            <CopyButton text={shownValue(row.output_value)} label={`Copy ${row.output_key}`} />
        ),
    },
];

export default function OutputsView({ store }: { store: StackStore }) {
    const stack = store.stack.value;
    const key = `${store.at.id} ${stack?.stack_status ?? ""} ${stack?.updated_time ?? ""}`;
    const found = useLoaded((signal) => showOutputs(store.at, signal), key);
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Outputs" />;
    return (
        <div class="view-body">
            {found.data.length === 0 ? (
                <Empty title="No outputs">
                    <p>
                        The template declares none. A section <code>outputs</code> in it names
                        values for those who use the stack.
                    </p>
                </Empty>
            ) : (
                <Table
                    label="Outputs"
                    columns={columns}
                    rows={found.data}
                    keyOf={(row) => row.output_key}
                />
            )}
        </div>
    );
}
