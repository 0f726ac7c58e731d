/** Who asked for what is going on, since when, and how long it may still take. */
import { listDurations, listRequests } from "../../api/history";
import type { Stack } from "../../api/types";
import { remaining } from "../../model/remaining";
import { isRunning } from "../../model/status";
import { ago, span, timeOf } from "../../model/times";
import { useLoaded } from "../../parts/useLoaded";
import { now } from "../../state/clock";
import type { StackStore } from "../../state/stack";

export function StackTimes({ store, stack }: { store: StackStore; stack: Stack }) {
    const running = isRunning(stack.stack_status);
    const state = `${stack.id} ${stack.stack_status}`;
    const asked = useLoaded((signal) => listRequests(store.at, signal), state);
    const usual = useLoaded((signal) => listDurations(signal), running ? state : "");
    const last = asked.data?.[asked.data.length - 1];
    void store.revision.value;
    const left =
        running && store.tree && usual.data
            ? remaining(store.tree, usual.data, now.value)
            : null;
    const since = last?.time ?? stack.updated_time ?? stack.creation_time;
    return (
        <>
            {running ? (
                <span>
                    elapsed {span(now.value - timeOf(since))}
                    {left !== null && <>, about {span(left)} remaining</>}
                </span>
            ) : (
                <span title={stack.updated_time ?? stack.creation_time}>
                    {stack.updated_time ? "updated" : "created"}{" "}
                    {ago(stack.updated_time ?? stack.creation_time, now.value)}
                </span>
            )}
            <span>by {last?.user || stack.stack_owner}</span>
            {(stack.tags ?? []).map((tag) => (
                <span key={tag} class="chip">
                    {tag}
                </span>
            ))}
        </>
    );
}
