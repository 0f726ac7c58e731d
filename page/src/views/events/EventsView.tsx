/** What happened, live. */
import { StatusBadge } from "../../parts/Status";
import type { StackStore } from "../../state/stack";

export default function EventsView({ store }: { store: StackStore }) {
    void store.revision.value;
    return (
        <ul>
            {store.events.map((event) => (
                <li key={event.id}>
                    {event.event_time} {event.resource_name}{" "}
                    <StatusBadge status={event.resource_status} />
                </li>
            ))}
        </ul>
    );
}
