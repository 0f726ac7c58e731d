/**
 * What events say about time: for each resource when each action began and ended, when it waited at
 * a hook, when it was signalled; for the stack itself its operations.
 *
 * Events may come one by one; the same one twice changes nothing.
 */
import type { StackEvent } from "../api/types";
import { stateOf } from "./status";
import { timeOf } from "./times";
import { isOfStack, stackIdOf } from "./tree";

/** A time in which something was so; it is not over while `end` is null. */
export interface Time {
    begin: number;
    end: number | null;
    /** The operations in which it began and ended, as numbers: times are only known in seconds. */
    from: number;
    to: number | null;
}

/** An action of a resource. */
export interface Span extends Time {
    action: string;
    /** The numbers of the events that began and ended it. */
    first: number;
    last: number | null;
    status: string;
    reason: string;
    physicalId: string;
}

/** Waiting at a hook until it was cleared. */
export interface Wait extends Time {
    hook: string;
}

export interface Mark {
    time: number;
    operation: number;
    words: string;
}

/** All that happened to one name in one stack, whichever version it had. */
export interface History {
    stackId: string;
    name: string;
    type: string;
    spans: Span[];
    waits: Wait[];
    marks: Mark[];
}

export interface Operation {
    id: string;
    action: string;
    begin: number;
    end: number | null;
    status: string;
}

const PAUSED = /paused until Hook (\S+) is cleared/;
const STARTED = /^Stack \w+ started/;
const CLEARED = /^Hook (\S+) is cleared/;

export class Histories {
    /** By `STACK_ID/NAME`. */
    readonly all = new Map<string, History>();
    readonly operations: Operation[] = [];
    /** Who owns a stack: the key of a history, by the stack's id and by its name. */
    readonly owners = new Map<string, string>();
    /** Names of stacks by their ids. */
    readonly stackNames = new Map<string, string>();
    private readonly seen = new Set<string>();

    constructor(readonly rootId: string) {}

    get count(): number {
        return this.seen.size;
    }

    /** Take events in the order in which they happened. */
    add(events: readonly StackEvent[]): void {
        for (const event of events) {
            if (this.seen.has(event.id)) continue;
            this.seen.add(event.id);
            this.take(event);
        }
    }

    private take(event: StackEvent): void {
        const stackId = stackIdOf(event);
        const time = timeOf(event.event_time);
        const { action, status } = stateOf(event.resource_status);
        if (isOfStack(event)) {
            this.stackNames.set(stackId, event.resource_name);
            // What happens to a nested stack is told by the resource that it is.
            if (stackId === this.rootId) this.operation(event, action, status, time);
            return;
        }
        const key = historyKey(stackId, event.resource_name);
        let history = this.all.get(key);
        if (!history) {
            history = {
                stackId,
                name: event.resource_name,
                type: event.resource_type ?? "",
                spans: [],
                waits: [],
                marks: [],
            };
            this.all.set(key, history);
        }
        if (event.resource_type) history.type = event.resource_type;
        if (event.physical_resource_id) this.owners.set(event.physical_resource_id, key);
        const reason = event.resource_status_reason;
        const paused = PAUSED.exec(reason)?.[1];
        const cleared = CLEARED.exec(reason)?.[1];
        const at: At = {
            time,
            operation: this.operations.length - 1,
            event: this.seen.size,
        };
        if (paused)
            history.waits.push({
                hook: paused,
                begin: time,
                end: null,
                from: at.operation,
                to: null,
            });
        else if (cleared) endWait(history, cleared, at);
        else if (action === "SIGNAL")
            history.marks.push({ time, operation: at.operation, words: reason });
        else if (action !== "INIT")
            record(history.spans, action, status, at, reason, event.physical_resource_id ?? "");
    }

    private operation(event: StackEvent, action: string, status: string, time: number): void {
        const last = this.operations[this.operations.length - 1];
        const isRunning = status === "IN_PROGRESS";
        const isNew = isRunning
            ? last?.end !== null || last.action !== action || STARTED.test(reasonOf(event))
            : last?.action !== action;
        if (isNew) {
            // Whatever ran before was overtaken.
            if (last?.end === null) last.end = time;
            const end = isRunning ? null : time;
            this.operations.push({ id: event.id, action, begin: time, end, status });
        } else if (last && !isRunning) Object.assign(last, { end: time, status });
    }
}

const reasonOf = (event: StackEvent): string => event.resource_status_reason;

interface At {
    time: number;
    operation: number;
    event: number;
}

export const historyKey = (stackId: string, name: string): string => `${stackId}/${name}`;

function endWait(history: History, hook: string, at: At): void {
    for (const wait of history.waits)
        if (wait.hook === hook && wait.end === null)
            Object.assign(wait, { end: at.time, to: at.operation });
}

function record(
    spans: Span[],
    action: string,
    status: string,
    { time, operation, event }: At,
    reason: string,
    physicalId: string,
): void {
    const open = spans.filter((span) => span.end === null && span.action === action);
    const same = open.find((span) => span.physicalId === physicalId) ?? open[0];
    const isRunning = status === "IN_PROGRESS";
    // Said once more: another worker goes on with it.
    if (isRunning && same?.physicalId === physicalId) return;
    const end = isRunning
        ? { end: null, to: null, last: null }
        : { end: time, to: operation, last: event };
    if (same && !isRunning) Object.assign(same, { ...end, status, reason, physicalId });
    else {
        const begin = { begin: time, from: operation, first: event };
        spans.push({ action, ...begin, ...end, status, reason, physicalId });
    }
}
