/** The live list of stacks: one stream that tells them all, and then each that changes. */
import { signal } from "@preact/signals";
import { follow } from "../api/events";
import type { Message, StreamState } from "../api/events";
import { ApiError } from "../api/http";
import type { StackSummary } from "../api/types";

export interface Progress {
    complete: number;
    in_progress: number;
    failed: number;
    not_begun: number;
}

export interface ListedStack extends StackSummary {
    /** Of a stack in which something has happened since the page looks. */
    progress?: Progress;
}

/** All stacks; null until they are known. */
export const stacks = signal<readonly ListedStack[] | null>(null);
export const stacksStream = signal<StreamState>("connecting");
export const stacksError = signal<ApiError | null>(null);

let known = new Map<string, ListedStack>();
let listed = false;

/** Follow the stacks of the project until the returned function is called. */
export function followStacks(): () => void {
    const stop = new AbortController();
    stacks.value = null;
    stacksError.value = null;
    void follow(
        "/events/stream",
        {},
        "",
        {
            messages: take,
            state: (state) => {
                stacksStream.value = state;
                // Each connection begins with the whole list: what is not in it has gone.
                if (state === "live") {
                    known = new Map();
                    listed = false;
                }
            },
            isOver: () => false,
            refused: (error) => (stacksError.value = error),
        },
        stop.signal,
    );
    return () => stop.abort();
}

function take(messages: Message[]): void {
    for (const message of messages) {
        if (message.event === "listed") listed = true;
        if (message.event !== "stack") continue;
        const stack = JSON.parse(message.data) as ListedStack;
        if (stack.deletion_time) known.delete(stack.id);
        else known.set(stack.id, stack);
    }
    if (listed) stacks.value = [...known.values()];
}
