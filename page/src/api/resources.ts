/** Calls about one resource; `at` is the stack that contains it. */
import { get, send } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";
import type { Cause, ResourceDetail, StackEvent } from "./types";

export function resourcePath(at: At, name: string, below = ""): string {
    return stackPath(at, `/resources/${encodeURIComponent(name)}${below}`);
}

export async function showResource(
    at: At,
    name: string,
    signal?: AbortSignal,
): Promise<ResourceDetail> {
    return (await get<{ resource: ResourceDetail }>(resourcePath(at, name), {}, signal))
        .resource;
}

export async function showMetadata(
    at: At,
    name: string,
    signal?: AbortSignal,
): Promise<Record<string, unknown>> {
    const path = resourcePath(at, name, "/metadata");
    return (await get<{ metadata: Record<string, unknown> }>(path, {}, signal)).metadata;
}

/** What happened to a resource, the newest first. */
export async function resourceEvents(
    at: At,
    name: string,
    limit: number,
    signal?: AbortSignal,
): Promise<StackEvent[]> {
    const query = { limit, sort_dir: "desc" };
    return (
        await get<{ events: StackEvent[] }>(resourcePath(at, name, "/events"), query, signal)
    ).events;
}

/** The properties as they were last applied; the API tells them with an event of the resource. */
export async function showProperties(
    at: At,
    name: string,
    signal?: AbortSignal,
): Promise<Record<string, unknown>> {
    const [last] = await resourceEvents(at, name, 1, signal);
    if (!last) return {};
    const path = resourcePath(at, name, `/events/${encodeURIComponent(last.id)}`);
    const answer = await get<{ event: { resource_properties: Record<string, unknown> } }>(
        path,
        {},
        signal,
    );
    return answer.event.resource_properties;
}

/** The chain of causes of a resource's state, the nearest first. */
export async function explain(at: At, name: string, signal?: AbortSignal): Promise<Cause[]> {
    const path = resourcePath(at, name, "/why");
    return (await get<{ why: { causes: Cause[] } }>(path, {}, signal)).why.causes;
}

export function markUnhealthy(
    at: At,
    name: string,
    isUnhealthy: boolean,
    reason: string,
): Promise<unknown> {
    return send("PATCH", resourcePath(at, name), {
        mark_unhealthy: isUnhealthy,
        resource_status_reason: reason,
    });
}

export function signalResource(at: At, name: string, data: unknown): Promise<unknown> {
    return send("POST", resourcePath(at, name, "/signal"), data);
}

export function clearHook(at: At, name: string, hook: string): Promise<unknown> {
    return signalResource(at, name, { unset_hook: hook });
}
