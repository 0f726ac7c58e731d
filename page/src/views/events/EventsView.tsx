/** What happened in a stack and in all that is nested in it: live, filtered, page by page. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { listEvents } from "../../api/events";
import type { EventQuery } from "../../api/events";
import type { StackEvent } from "../../api/types";
import { eventPath, merged } from "../../model/events";
import { clock } from "../../model/times";
import { Button } from "../../parts/Button";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { route, select, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import "./events.css";

const PAGE = 100;
const STATUSES = ["IN_PROGRESS", "COMPLETE", "FAILED"];

export default function EventsView({ store }: { store: StackStore }) {
    const { query } = route.value;
    const status = query["status"] ?? "";
    const text = query["q"] ?? "";
    const [older, setOlder] = useState<StackEvent[]>([]);
    const [isLoading, setLoading] = useState(true);
    const [isEnd, setEnd] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const revision = store.revision.value;

    const load = async (marker: string, before: StackEvent[]): Promise<void> => {
        setLoading(true);
        setError(null);
        try {
            const asked: EventQuery = { limit: PAGE };
            if (marker) asked.marker = marker;
            if (status) asked.resource_status = [status];
            const found = await listEvents(store.at, asked);
            setOlder([...before, ...found]);
            setEnd(found.length < PAGE);
        } catch (reason) {
            setError(reason);
        } finally {
            setLoading(false);
        }
    };
    useEffect(() => {
        setOlder([]);
        void load("", []);
    }, [store, status]);

    const shown = useMemo(() => {
        const live = status
            ? store.events.filter((each) => each.resource_status.endsWith(status))
            : store.events;
        const all = merged(live, older);
        const wanted = text.toLowerCase();
        if (!wanted) return all;
        return all.filter((each) =>
            `${eventPath(each, store.tree).join("/")} ${each.resource_type ?? ""} ${each.resource_status_reason}`
                .toLowerCase()
                .includes(wanted),
        );
    }, [revision, older, status, text]);

    return (
        <div class="view-body">
            <div class="toolbar" role="group" aria-label="Filters">
                <input
                    class="input"
                    type="search"
                    placeholder="Name, type or reason"
                    aria-label="Filter by name, type or reason"
                    value={text}
                    onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <select
                    class="input"
                    aria-label="Filter by status"
                    value={status}
                    onChange={(event) => setQuery({ status: event.currentTarget.value })}
                >
                    <option value="">All statuses</option>
                    {STATUSES.map((each) => (
                        <option key={each}>{each}</option>
                    ))}
                </select>
                <span class="muted number" role="status">
                    {shown.length} shown, the newest first
                </span>
            </div>
            {error !== null && <ErrorBox error={error} onRetry={() => void load("", [])} />}
            {shown.length === 0 && !isLoading && error === null ? (
                <Empty title="No events">
                    <p>
                        {text || status
                            ? "Nothing that was loaded fits the filters."
                            : "Whatever happens to this stack will stand here while it happens."}
                    </p>
                </Empty>
            ) : (
                <EventTable events={shown} store={store} />
            )}
            {isLoading && <Loading what="Events" />}
            {!isEnd && !isLoading && error === null && (
                <div>
                    <Button onClick={() => void load(older[older.length - 1]?.id ?? "", older)}>
                        Older events
                    </Button>
                </div>
            )}
        </div>
    );
}

/** As many rows as a browser draws at once without a pause. */
const MOST = 1000;

function EventTable({ events, store }: { events: readonly StackEvent[]; store: StackStore }) {
    return (
        <div class="table-frame">
            <table class="table events" role="table" aria-label="Events">
                <thead role="rowgroup">
                    <tr role="row">
                        {["Time", "Resource", "Status", "Reason"].map((title) => (
                            <th key={title} scope="col" role="columnheader">
                                {title}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    {events.slice(0, MOST).map((each) => (
                        <EventRow
                            key={each.id}
                            event={each}
                            path={eventPath(each, store.tree)}
                            store={store}
                        />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function EventRow({
    event,
    path,
    store,
}: {
    event: StackEvent;
    path: string[];
    store: StackStore;
}) {
    const key = path.join("/");
    return (
        <tr role="row">
            <td role="cell" class="event-time number">
                <time dateTime={event.event_time}>{clock(event.event_time)}</time>
            </td>
            <td role="cell" class="event-name">
                {path.length === 0 ? (
                    <b>{store.at.name}</b>
                ) : (
                    <button type="button" class="link" onClick={() => select(key)}>
                        {path.join(" › ")}
                    </button>
                )}
                {event.resource_type && path.length > 0 && (
                    <div class="muted mono">{event.resource_type}</div>
                )}
            </td>
            <td role="cell" class="event-status">
                <StatusBadge status={event.resource_status} />
            </td>
            <td role="cell" class="event-reason">
                {event.resource_status_reason}
            </td>
        </tr>
    );
}
