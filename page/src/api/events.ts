/** Events: listed by pages, and as they happen. */
import { addressOf, ApiError, errorOf, get, headersOf } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";
import type { StackEvent } from "./types";

export interface EventQuery {
    limit?: number;
    marker?: string;
    sort_dir?: "asc" | "desc";
    nested_depth?: string;
    resource_status?: string[];
    resource_action?: string[];
    resource_name?: string[];
    resource_type?: string[];
}

/** A page of events, of nested stacks as well; the newest first unless asked otherwise. */
export async function listEvents(
    at: At,
    query: EventQuery = {},
    signal?: AbortSignal,
): Promise<StackEvent[]> {
    const all = { nested_depth: "MAX", sort_dir: "desc", ...query };
    return (await get<{ events: StackEvent[] }>(stackPath(at, "/events"), all, signal)).events;
}

export interface Message {
    id: string;
    event: string;
    data: string;
}

/** Cuts a text that arrives in pieces into server-sent events. */
export class MessageReader {
    private rest = "";
    private current: Message = { id: "", event: "", data: "" };
    private hasData = false;

    read(piece: string): Message[] {
        const lines = (this.rest + piece).split("\n");
        this.rest = lines.pop() ?? "";
        const found: Message[] = [];
        for (const line of lines) {
            if (line === "") {
                if (this.hasData) found.push(this.current);
                this.current = { id: "", event: "", data: "" };
                this.hasData = false;
            } else if (line.startsWith("data:")) {
                const text = line.slice(5).replace(/^ /, "");
                this.current.data = this.hasData ? `${this.current.data}\n${text}` : text;
                this.hasData = true;
            } else if (line.startsWith("id:")) this.current.id = line.slice(3).trim();
            else if (line.startsWith("event:")) this.current.event = line.slice(6).trim();
        }
        return found;
    }
}

export type StreamState = "connecting" | "live" | "reconnecting" | "over";

export interface Follower {
    /** Takes what has arrived together, in order. */
    messages(messages: Message[]): void;
    state(state: StreamState): void;
    /** Whether the end of the stream is the end of the story, and not of the server. */
    isOver(): boolean;
    /** A refusal after which trying again is of no use. */
    refused?(error: ApiError): void;
}

const SILENCE = 40_000;
const LONGEST_PAUSE = 15_000;

/**
 * Follow a stream until it ends or `signal` aborts. A lost connection is made anew, and goes on
 * after the last message that came: nothing is lost, nothing comes twice.
 */
export async function follow(
    path: string,
    query: Record<string, string>,
    last: string,
    follower: Follower,
    signal: AbortSignal,
): Promise<void> {
    let pause = 500;
    follower.state("connecting");
    while (!signal.aborted) {
        const connection = new AbortController();
        const stop = (): void => connection.abort();
        signal.addEventListener("abort", stop, { once: true });
        let watch = window.setTimeout(stop, SILENCE);
        try {
            const more: Record<string, string> = { accept: "text/event-stream" };
            if (last) more["last-event-id"] = last;
            const response = await fetch(addressOf(path, query), {
                headers: headersOf(more),
                signal: connection.signal,
                cache: "no-store",
            });
            if (!response.ok || !response.body) {
                const error = await errorOf(response);
                if (error.status >= 400 && error.status < 500 && error.status !== 429) {
                    follower.state("over");
                    follower.refused?.(error);
                    return;
                }
                throw error;
            }
            follower.state("live");
            pause = 500;
            const reader = response.body.getReader();
            const decoder = new TextDecoder();
            const messages = new MessageReader();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) {
                    if (!follower.isOver()) throw new Error("the server has ended the stream");
                    follower.state("over");
                    return;
                }
                // The server says every 15 s that it is there: silence means that the way is broken.
                window.clearTimeout(watch);
                watch = window.setTimeout(stop, SILENCE);
                // An `end` says that a new request is refused: the next one tells it to the user.
                const found = messages
                    .read(decoder.decode(value, { stream: true }))
                    .filter((message) => message.event !== "end");
                if (found.length === 0) continue;
                last = found[found.length - 1]?.id || last;
                follower.messages(found);
            }
        } catch (error) {
            if (signal.aborted) return;
            void error;
            follower.state("reconnecting");
            await sleep(pause, signal);
            pause = Math.min(pause * 2, LONGEST_PAUSE);
        } finally {
            window.clearTimeout(watch);
            signal.removeEventListener("abort", stop);
        }
    }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const timer = window.setTimeout(resolve, milliseconds);
        signal.addEventListener("abort", () => {
            window.clearTimeout(timer);
            resolve();
        });
    });
}
