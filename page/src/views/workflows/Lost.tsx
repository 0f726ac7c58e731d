import type { StreamState } from "../../api/events";

/** Says that what is shown may be old: the page tries again by itself. */
export function Lost({ stream }: { stream: StreamState }) {
    if (stream !== "reconnecting") return null;
    return (
        <span class="muted" role="status">
            connection lost, trying again
        </span>
    );
}
