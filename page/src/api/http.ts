/** Requests to the API: one function, one kind of error, the token in memory only. */

export interface Problem {
    message: string;
    hint?: string;
    path?: string;
    file?: string;
    line?: number;
    column?: number;
}

/** A refusal of the server, or that it could not be reached (status 0). */
export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly type: string,
        message: string,
        readonly problems: readonly Problem[] = [],
    ) {
        super(message);
    }

    get isAuthentication(): boolean {
        return this.status === 401;
    }
}

export interface Access {
    token: string;
    project: string;
}

let access: Access = { token: "", project: "default" };
let onUnauthorized: () => void = () => undefined;

/** Say who asks from now on. */
export function setAccess(next: Access): void {
    access = next;
}

/** Say what to do when a token is refused. */
export function whenUnauthorized(callback: () => void): void {
    onUnauthorized = callback;
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface Options {
    query?: Query;
    body?: unknown;
    headers?: Record<string, string>;
    signal?: AbortSignal;
}

export interface Answer<T> {
    data: T;
    headers: Headers;
    status: number;
}

/** The address of something in the project: `/v1/PROJECT` and the path. */
export function addressOf(path: string, query: Query = {}): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value === undefined) continue;
        if (Array.isArray(value))
            for (const each of value as readonly string[]) search.append(name, each);
        else search.append(name, String(value));
    }
    const text = search.toString();
    const base =
        path.startsWith("/v2/") || path.startsWith("/page/")
            ? ""
            : `/v1/${encodeURIComponent(access.project)}`;
    return `${base}${path}${text ? `?${text}` : ""}`;
}

export function headersOf(more: Record<string, string> = {}): Record<string, string> {
    const headers: Record<string, string> = { accept: "application/json", ...more };
    if (access.token) headers["x-auth-token"] = access.token;
    // Workflows have no project in their address.
    headers["x-project-id"] = access.project;
    return headers;
}

/**
 * Ask the server, and return the answer with its headers. Throws ApiError.
 *
 * A path is one below the project (`/stacks`), of the workflow API (`/v2/…`) or of the page's own
 * endpoints (`/page/…`).
 */
export async function ask<T>(
    method: string,
    path: string,
    options: Options = {},
): Promise<Answer<T>> {
    const headers = headersOf(options.headers);
    const init: RequestInit = { method, headers, cache: "no-store" };
    if (options.signal) init.signal = options.signal;
    if (options.body !== undefined) {
        headers["content-type"] ??= "application/json";
        init.body =
            typeof options.body === "string" ? options.body : JSON.stringify(options.body);
    }
    let response: Response;
    try {
        response = await fetch(addressOf(path, options.query), init);
    } catch (error) {
        if (options.signal?.aborted) throw error;
        throw new ApiError(0, "Unreachable", "The server does not answer. Is it running?");
    }
    if (!response.ok) throw await errorOf(response);
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    const data = (text && isJson ? JSON.parse(text) : text) as T;
    return { data, headers: response.headers, status: response.status };
}

/** Do as `ask`, and return what was answered alone. */
export async function get<T>(
    path: string,
    query: Query = {},
    signal?: AbortSignal,
): Promise<T> {
    return (await ask<T>("GET", path, signal ? { query, signal } : { query })).data;
}

export async function send<T>(
    method: string,
    path: string,
    body?: unknown,
    query: Query = {},
): Promise<T> {
    return (await ask<T>(method, path, { body, query })).data;
}

export async function errorOf(response: Response): Promise<ApiError> {
    if (response.status === 401) onUnauthorized();
    const text = await response.text().catch(() => "");
    try {
        const document = JSON.parse(text) as {
            error?: { type?: string; message?: string; problems?: Problem[] };
            faultstring?: string;
            explanation?: string;
        };
        const message =
            document.error?.message ??
            document.faultstring ??
            document.explanation ??
            response.statusText;
        return new ApiError(
            response.status,
            document.error?.type ?? "",
            message,
            document.error?.problems ?? [],
        );
    } catch {
        return new ApiError(response.status, "", text.slice(0, 500) || response.statusText);
    }
}
