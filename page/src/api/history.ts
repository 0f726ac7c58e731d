/** Who asked for what, and how long things usually take. */
import { get } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";

export interface StackRequest {
    sequence: number;
    action: string;
    user: string;
    time: string;
}

export interface Duration {
    resource_type: string;
    action: string;
    count: number;
    seconds: number;
}

/** What people asked of a stack, the newest last. */
export async function listRequests(at: At, signal?: AbortSignal): Promise<StackRequest[]> {
    const { requests } = await get<{ requests: StackRequest[] }>(
        stackPath(at, "/requests"),
        {},
        signal,
    );
    return [...requests].sort((a, b) => a.sequence - b.sequence);
}

/** The median seconds of each type and action in this installation. */
export async function listDurations(signal?: AbortSignal): Promise<Duration[]> {
    return (await get<{ durations: Duration[] }>("/durations", {}, signal)).durations;
}
