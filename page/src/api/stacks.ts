/** Calls about stacks. `at` is where a stack is: its name and id. */
import { ask, get, send } from "./http";
import type { Answer } from "./http";
import type { Stack, TreeStack } from "./types";

export interface At {
    name: string;
    id: string;
}

export function stackPath(at: At, below = ""): string {
    return `/stacks/${encodeURIComponent(at.name)}/${encodeURIComponent(at.id)}${below}`;
}

/** The stack without its outputs, with its root causes; the answer's ETag goes into `If-Match`. */
export async function showStack(at: At, signal?: AbortSignal): Promise<Answer<Stack>> {
    const options = signal ? { signal } : {};
    const answer = await ask<{ stack: Stack }>("GET", stackPath(at), {
        query: { resolve_outputs: false },
        ...options,
    });
    return { ...answer, data: answer.data.stack };
}

export interface ShownTree {
    stack: TreeStack;
    /** Whoever follows the events from here on misses nothing; none if nothing has happened. */
    last_event_id?: string;
}

/** The tree in one answer, without links: they are half of it. */
export function showTree(at: At, signal?: AbortSignal): Promise<ShownTree> {
    return get<ShownTree>(stackPath(at, "/tree"), { with_links: false }, signal);
}

/** Suspend, resume, check, cancel_update, retry, rollback … */
export function act(at: At, action: string, argument: unknown = null): Promise<unknown> {
    return send("POST", stackPath(at, "/actions"), { [action]: argument });
}
