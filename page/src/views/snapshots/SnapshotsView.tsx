/** Snapshots: what the stack was, kept to go back to it. */
import { useState } from "preact/hooks";
import { deleteSnapshot, listSnapshots, restoreSnapshot, takeSnapshot } from "../../api/recipe";
import type { Snapshot } from "../../api/recipe";
import { isRunning } from "../../model/status";
import { clock } from "../../model/times";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { useLoaded } from "../../parts/useLoaded";
import type { StackStore } from "../../state/stack";

type Asked = { kind: "take" } | { kind: "restore" | "delete"; snapshot: Snapshot };

export default function SnapshotsView({ store }: { store: StackStore }) {
    const status = store.stack.value?.stack_status ?? "";
    const found = useLoaded(
        (signal) => listSnapshots(store.at, signal),
        `${store.at.id} ${status}`,
    );
    const [asked, setAsked] = useState<Asked | null>(null);
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Snapshots" />;
    const isBusy = isRunning(status);
    const columns: Column<Snapshot>[] = [
        {
            id: "name",
            title: "Name",
            sort: (row) => row.name ?? "",
            cell: (row) => (
                <>
                    <b>{row.name || "unnamed"}</b>
                    <div class="muted mono">{row.id}</div>
                </>
            ),
        },
        {
            id: "status",
            title: "Status",
            sort: (row) => row.status,
            cell: (row) => (
                <>
                    <StatusBadge status={`SNAPSHOT_${row.status}`} />
                    {row.status === "FAILED" && <div>{row.status_reason}</div>}
                </>
            ),
        },
        {
            id: "time",
            title: "Taken",
            sort: (row) => row.creation_time,
            cell: (row) => clock(row.creation_time),
        },
        {
            id: "do",
            title: "Actions",
            cell: (row) => (
                <span class="row">
                    <Button
                        disabled={isBusy || row.status !== "COMPLETE"}
                        onClick={() => setAsked({ kind: "restore", snapshot: row })}
                    >
                        Restore
                    </Button>
                    <Button
                        kind="danger"
                        onClick={() => setAsked({ kind: "delete", snapshot: row })}
                    >
                        Delete
                    </Button>
                </span>
            ),
        },
    ];
    return (
        <div class="view-body">
            <div class="toolbar">
                <Button
                    kind="primary"
                    disabled={isBusy}
                    onClick={() => setAsked({ kind: "take" })}
                >
                    Take a snapshot
                </Button>
                {isBusy && (
                    <span class="muted">Wait until the operation on the stack has ended.</span>
                )}
            </div>
            {found.data.length === 0 ? (
                <Empty title="No snapshots">
                    <p>
                        A snapshot keeps the template, the environment and what types keep of
                        their objects. Restoring it brings the stack back to that.
                    </p>
                </Empty>
            ) : (
                <Table
                    label="Snapshots"
                    columns={columns}
                    rows={found.data}
                    keyOf={(row) => row.id}
                    initial="-time"
                />
            )}
            {asked && (
                <Ask
                    asked={asked}
                    store={store}
                    onClose={() => setAsked(null)}
                    onDone={() => {
                        setAsked(null);
                        found.reload();
                        void store.refresh();
                    }}
                />
            )}
        </div>
    );
}

const WORDS = {
    take: {
        title: "Take a snapshot",
        verb: "Take",
        text: "Every resource keeps what it is now.",
    },
    restore: {
        title: "Restore a snapshot",
        verb: "Restore",
        text: "The stack is updated to what it was then: resources that came later are deleted, others change back.",
    },
    delete: {
        title: "Delete a snapshot",
        verb: "Delete",
        text: "What was kept goes. The stack stays as it is.",
    },
} as const;

function Ask({
    asked,
    store,
    onClose,
    onDone,
}: {
    asked: Asked;
    store: StackStore;
    onClose: () => void;
    onDone: () => void;
}) {
    const [name, setName] = useState("");
    const [error, setError] = useState<unknown>(null);
    const words = WORDS[asked.kind];
    const run = async (): Promise<void> => {
        try {
            if (asked.kind === "take") await takeSnapshot(store.at, name);
            else if (asked.kind === "restore")
                await restoreSnapshot(store.at, asked.snapshot.id);
            else await deleteSnapshot(store.at, asked.snapshot.id);
            onDone();
        } catch (reason) {
            setError(reason);
        }
    };
    return (
        <Dialog
            title={
                asked.kind === "take"
                    ? words.title
                    : `${words.title}: ${asked.snapshot.name || asked.snapshot.id}`
            }
            onClose={onClose}
            footer={
                <>
                    <Button onClick={onClose}>Leave it</Button>
                    <Button
                        kind={asked.kind === "delete" ? "danger" : "primary"}
                        onClick={() => void run()}
                    >
                        {words.verb}
                    </Button>
                </>
            }
        >
            {error !== null && <ErrorBox error={error} />}
            <p>{words.text}</p>
            {asked.kind === "take" && (
                <label class="field">
                    <span>Name</span>
                    <input
                        class="input"
                        value={name}
                        onInput={(event) => setName(event.currentTarget.value)}
                    />
                </label>
            )}
        </Dialog>
    );
}
