/** What a stack is made of: environment, template, files; outputs and snapshots. */
import { ask, get, send } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";
import type { Output, Stack } from "./types";

export interface Place {
    file: string;
    line: number | null;
    column: number | null;
}

export interface Origin extends Place {
    path: string[];
    made_of: Place[];
    overrode: (Place & { value: unknown })[];
}

export interface Environment {
    parameters: Record<string, unknown>;
    parameter_defaults: Record<string, unknown>;
    resource_registry: Record<string, unknown>;
    encrypted_param_names: string[];
    event_sinks?: unknown[];
    environment_files: string[];
    environment_file_names: Record<string, string>;
    cleared_parameters: Record<string, string[]>;
    origins?: Origin[];
    [section: string]: unknown;
}

export interface Snapshot {
    id: string;
    name: string | null;
    action: string;
    status: string;
    status_reason: string;
    data: unknown;
    creation_time: string;
}

export function showEnvironment(at: At, signal?: AbortSignal): Promise<Environment> {
    return get<Environment>(stackPath(at, "/environment"), { origins: true }, signal);
}

export function showTemplate(at: At, signal?: AbortSignal): Promise<Record<string, unknown>> {
    return get<Record<string, unknown>>(stackPath(at, "/template"), {}, signal);
}

/** The files by their names; hidden values in environments are stars. */
export function showFiles(at: At, signal?: AbortSignal): Promise<Record<string, string>> {
    return get<Record<string, string>>(stackPath(at, "/files"), {}, signal);
}

export async function showOutputs(at: At, signal?: AbortSignal): Promise<Output[]> {
    const options = signal ? { signal } : {};
    const answer = await ask<{ stack: Stack }>("GET", stackPath(at), {
        query: { resolve_outputs: true },
        ...options,
    });
    return answer.data.stack.outputs ?? [];
}

export async function listSnapshots(at: At, signal?: AbortSignal): Promise<Snapshot[]> {
    return (await get<{ snapshots: Snapshot[] }>(stackPath(at, "/snapshots"), {}, signal))
        .snapshots;
}

export function takeSnapshot(at: At, name: string): Promise<Snapshot> {
    return send<Snapshot>("POST", stackPath(at, "/snapshots"), name ? { name } : {});
}

export function deleteSnapshot(at: At, id: string): Promise<unknown> {
    return send("DELETE", stackPath(at, `/snapshots/${encodeURIComponent(id)}`));
}

export function restoreSnapshot(at: At, id: string): Promise<unknown> {
    return send("POST", stackPath(at, `/snapshots/${encodeURIComponent(id)}/restore`));
}
