/** The list of stacks, live. */
import { useEffect } from "preact/hooks";
import { isRunning, toneOf } from "../../model/status";
import { ago, span, timeOf } from "../../model/times";
import { noCounts } from "../../model/tree";
import type { Counts } from "../../model/tree";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { Progress } from "../../parts/Progress";
import { StatusBadge } from "../../parts/Status";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { now } from "../../state/clock";
import { route, sectionHref, setQuery, stackHref } from "../../state/route";
import { session } from "../../state/session";
import { followStacks, stacks, stacksError, stacksStream } from "../../state/stacks";
import type { ListedStack } from "../../state/stacks";
import "./stacks.css";

function countsOf(row: ListedStack): Counts | null {
    if (!row.progress) return null;
    const { complete, in_progress: running, failed, not_begun: idle } = row.progress;
    return {
        ...noCounts(),
        done: complete,
        running,
        failed,
        idle,
        total: complete + running + failed + idle,
    };
}

const columns: Column<ListedStack>[] = [
    {
        id: "name",
        title: "Name",
        sort: (row) => row.stack_name.toLowerCase(),
        cell: (row) => (
            <a class="stacks-name" href={stackHref({ name: row.stack_name, id: row.id })}>
                {row.stack_name}
            </a>
        ),
    },
    {
        id: "status",
        title: "Status",
        sort: (row) => row.stack_status,
        cell: (row) => (
            <>
                <StatusBadge status={row.stack_status} />
                {row.stack_status.endsWith("FAILED") && (
                    <div class="stacks-reason">{row.stack_status_reason}</div>
                )}
            </>
        ),
    },
    {
        id: "progress",
        title: "Progress",
        cell: (row) => {
            const counts = countsOf(row);
            if (!counts || counts.total === 0)
                return isRunning(row.stack_status) ? null : <span class="muted">at rest</span>;
            return (
                <span class="stacks-progress">
                    <Progress counts={counts} />
                    <span class="number">
                        {counts.done}/{counts.total}
                    </span>
                </span>
            );
        },
    },
    {
        id: "tags",
        title: "Tags",
        sort: (row) => (row.tags ?? []).join(","),
        cell: (row) => (
            <span class="row">
                {(row.tags ?? []).map((tag) => (
                    <button
                        key={tag}
                        type="button"
                        class="chip stacks-tag"
                        onClick={() => setQuery({ tag })}
                    >
                        {tag}
                    </button>
                ))}
            </span>
        ),
    },
    {
        id: "owner",
        title: "Owner",
        sort: (row) => row.stack_owner,
        cell: (row) => row.stack_owner,
    },
    {
        id: "changed",
        title: "Changed",
        sort: (row) => -timeOf(row.updated_time ?? row.creation_time),
        cell: (row) => (
            <span title={row.updated_time ?? row.creation_time}>
                {ago(row.updated_time ?? row.creation_time, now.value)}
            </span>
        ),
    },
    {
        id: "age",
        title: "Age",
        sort: (row) => -timeOf(row.creation_time),
        cell: (row) => (
            <span title={row.creation_time}>{span(now.value - timeOf(row.creation_time))}</span>
        ),
    },
];

export default function StacksView() {
    const project = session.value?.project ?? "";
    useEffect(() => followStacks(), [project]);
    if (stacksError.value)
        return <ErrorBox error={stacksError.value} onRetry={() => location.reload()} />;
    if (stacks.value === null)
        return stacksStream.value === "reconnecting" ? (
            <ErrorBox
                error={new Error("The server does not answer. The page tries again by itself.")}
            />
        ) : (
            <Loading what="Stacks" />
        );
    return (
        <div class="page-body">
            <div class="toolbar">
                <h1>Stacks</h1>
                <span class="muted">in {project}</span>
                <span class="stretch" />
                <span class="row">
                    <a class="button" href={sectionHref("adopt")}>
                        Adopt
                    </a>
                    <a class="button primary" href={sectionHref("create")}>
                        Create a stack
                    </a>
                </span>
            </div>
            {stacks.value.length === 0 ? <NoStacks /> : <List all={stacks.value} />}
        </div>
    );
}

function List({ all }: { all: readonly ListedStack[] }) {
    const { query } = route.value;
    const text = (query["q"] ?? "").toLowerCase();
    const tag = query["tag"] ?? "";
    const status = query["status"] ?? "";
    const shown = all.filter(
        (each) =>
            (!text ||
                `${each.stack_name} ${each.id} ${each.stack_owner}`
                    .toLowerCase()
                    .includes(text)) &&
            (!tag || (each.tags ?? []).includes(tag)) &&
            (!status || toneOf(each.stack_status) === status),
    );
    return (
        <>
            <div class="toolbar" role="group" aria-label="Filters">
                <input
                    class="input"
                    type="search"
                    placeholder="Name, id or owner"
                    aria-label="Filter by name, id or owner"
                    value={query["q"] ?? ""}
                    onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <select
                    class="input"
                    aria-label="Filter by status"
                    value={status}
                    onChange={(event) => setQuery({ status: event.currentTarget.value })}
                >
                    <option value="">All statuses</option>
                    <option value="running">in progress</option>
                    <option value="failed">failed</option>
                    <option value="done">complete</option>
                </select>
                {tag && (
                    <button
                        type="button"
                        class="chip stacks-tag"
                        onClick={() => setQuery({ tag: "" })}
                    >
                        tag {tag} ✕<span class="hidden-text"> (clear this filter)</span>
                    </button>
                )}
                <span class="muted number" role="status">
                    {shown.length} of {all.length}
                    {stacksStream.value === "reconnecting" && ", connection lost, trying again"}
                </span>
            </div>
            <Table
                label="Stacks"
                columns={columns}
                rows={shown}
                keyOf={(row) => row.id}
                initial="name"
            />
        </>
    );
}

function NoStacks() {
    return (
        <Empty title="No stacks yet">
            <p>
                A stack is what a template becomes: servers, networks, records, whatever the
                template names.
            </p>
            <a class="button primary" href={sectionHref("create")}>
                Create the first one
            </a>
            <p>
                From a terminal: <code>hotplate up app.yaml</code>
            </p>
        </Empty>
    );
}
