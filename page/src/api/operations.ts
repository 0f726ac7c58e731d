/** Calls that preview and begin operations on a stack. */
import { ask, get, send } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";
import type { PlannedDeletion } from "../model/deletion";
import type { UpdateDocument } from "../model/plan";

export async function previewDeletion(
    at: At,
    signal?: AbortSignal,
): Promise<PlannedDeletion[]> {
    const path = stackPath(at, "/deletion");
    return (await get<{ deletion: PlannedDeletion[] }>(path, {}, signal)).deletion;
}

/** Delete a stack, if it has not moved since `etag`. */
export async function deleteStack(at: At, etag: string): Promise<void> {
    await ask("DELETE", stackPath(at), { headers: etag ? { "if-match": etag } : {} });
}

export function previewRollback(at: At, signal?: AbortSignal): Promise<UpdateDocument> {
    return get(stackPath(at, "/rollback"), { show_nested: true }, signal);
}

/** What `abandon` would answer; the stack stays. */
export function exportStack(at: At, signal?: AbortSignal): Promise<unknown> {
    return get(stackPath(at, "/export"), {}, signal);
}

export function abandonStack(at: At): Promise<unknown> {
    return send("DELETE", stackPath(at, "/abandon"));
}

/** Make a stack of what `abandon` wrote; returns its id. */
export async function adoptStack(name: string, document: string): Promise<string> {
    const body = { stack_name: name, adopt_stack_data: document };
    return (await send<{ stack: { id: string } }>("POST", "/stacks", body)).stack.id;
}

/** Take a resource for deleted whose deletion failed; its object stays. */
export function forgetResource(at: At, name: string): Promise<unknown> {
    return send("POST", stackPath(at, `/resources/${encodeURIComponent(name)}/forget`));
}

export interface Snapshot {
    id: string;
    name: string | null;
    status: string;
    status_reason: string;
    creation_time: string;
}

export async function listSnapshots(at: At, signal?: AbortSignal): Promise<Snapshot[]> {
    const path = stackPath(at, "/snapshots");
    return (await get<{ snapshots: Snapshot[] }>(path, {}, signal)).snapshots;
}

export function takeSnapshot(at: At, name: string): Promise<unknown> {
    return send("POST", stackPath(at, "/snapshots"), name ? { name } : {});
}

export function restoreSnapshot(at: At, id: string): Promise<unknown> {
    return send("POST", stackPath(at, `/snapshots/${encodeURIComponent(id)}/restore`));
}
