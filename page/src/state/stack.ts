/**
 * The live store of one stack: one request for its tree, and then only what changes.
 *
 * The tree is changed in place; `revision` counts up, at most once for each frame, in a large tree five times a second, when something
 * has changed. A component that reads `store.revision.value` is drawn again by that.
 */
import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { follow } from "../api/events";
import type { Message, StreamState } from "../api/events";
import { ApiError } from "../api/http";
import { showStack, showTree, stackPath } from "../api/stacks";
import type { At } from "../api/stacks";
import type { Stack, StackEvent } from "../api/types";
import { isGone, isRunning } from "../model/status";
import {
    applyEvent,
    buildTree,
    graft,
    isOfStack,
    noCounts,
    rollUps,
    stackOf,
} from "../model/tree";
import type { Counts, Tree } from "../model/tree";

/** Events that are kept in memory; older ones are asked for. */
const KEPT = 5000;
const SHORTEST_PAUSE = 300;
/** Nested stacks that are asked for one by one; for more the whole tree is. */
const FEW = 6;
/** How much of a tree may be drawn anew in a millisecond: 10,000 resources five times a second. */
const NODES_PER_MS = 50;

export class StackStore {
    /** The stack with its parameters and root causes; null until it is known. */
    readonly stack = signal<Stack | null>(null);
    /** What a change sends as `If-Match`. */
    etag = "";
    /** Every resource; null until it is known. Listen to `revision`. */
    tree: Tree | null = null;
    readonly revision = signal(0);
    /** What has happened since the page looks, the newest last. Listen to `revision`. */
    readonly events: StackEvent[] = [];
    readonly stream = signal<StreamState>("connecting");
    readonly error = signal<ApiError | null>(null);
    /** How many resources of each tone there are, by the id of the stack. */
    readonly rollUps: ReadonlySignal<Map<string, Counts>> = computed(() => {
        void this.revision.value;
        return this.tree ? rollUps(this.tree) : new Map<string, Counts>();
    });
    readonly counts: ReadonlySignal<Counts> = computed(
        () => this.rollUps.value.get(this.at.id) ?? noCounts(),
    );

    private readonly stopped = new AbortController();
    private frame = 0;
    private timer = 0;
    private drawn = 0;
    /** Nested stacks of which events do not tell all, by id. */
    private readonly stale = new Map<string, At>();
    private isStackStale = false;
    private isCatchingUp = false;
    private pause = SHORTEST_PAUSE;

    constructor(readonly at: At) {
        void this.run();
    }

    stop(): void {
        this.stopped.abort();
        window.clearTimeout(this.timer);
        cancelAnimationFrame(this.frame);
    }

    /** Ask for the stack and its tree once more, for example after an action of the user. */
    async refresh(): Promise<void> {
        await this.refreshAll();
    }

    /** Return the event up to which all is in the tree. */
    private async refreshAll(): Promise<string> {
        const [shown] = await Promise.all([
            showTree(this.at, this.stopped.signal),
            this.refreshStack(),
        ]);
        this.tree = buildTree(shown.stack);
        this.changed(true);
        return shown.last_event_id ?? "";
    }

    private async refreshStack(): Promise<void> {
        const { data, headers } = await showStack(this.at, this.stopped.signal);
        this.etag = headers.get("etag") ?? "";
        this.stack.value = data;
        this.error.value = null;
    }

    private async run(): Promise<void> {
        const { signal } = this.stopped;
        try {
            const newest = await this.refreshAll();
            await follow(
                stackPath(this.at, "/events/stream"),
                { nested_depth: "MAX" },
                newest,
                {
                    messages: (messages) => this.take(messages),
                    state: (state) => (this.stream.value = state),
                    isOver: () => isGone(this.tree?.root.status ?? ""),
                    refused: (error) => (this.error.value = error),
                },
                signal,
            );
        } catch (error) {
            if (!signal.aborted) this.failed(error);
        }
    }

    private take(messages: Message[]): void {
        for (const message of messages) {
            const event = JSON.parse(message.data) as StackEvent;
            this.events.push(event);
            if (this.tree === null) continue;
            const at = stackOf(event);
            if (applyEvent(this.tree, event) === "structure") this.stale.set(at.id, at);
            else if (isOfStack(event) && at.id === this.at.id) {
                // What it failed of, and its ETag, are in the stack itself; what requires what is known
                // for certain when the operation has ended.
                this.isStackStale = true;
                if (!isRunning(event.resource_status)) this.stale.set(at.id, this.at);
            }
        }
        if (this.events.length > KEPT) this.events.splice(0, this.events.length - KEPT);
        if (this.stale.size > 0 || this.isStackStale) void this.catchUp();
        this.changed();
    }

    /**
     * Ask for the stacks that came or lost something, once for all that happens within a moment; the
     * pause grows with what it costs.
     */
    private async catchUp(): Promise<void> {
        if (this.isCatchingUp) return;
        this.isCatchingUp = true;
        try {
            while ((this.stale.size > 0 || this.isStackStale) && !this.stopped.signal.aborted) {
                await new Promise((resolve) => setTimeout(resolve, this.pause));
                const begun = performance.now();
                await this.catchUpOnce();
                this.pause = Math.max(SHORTEST_PAUSE, 3 * (performance.now() - begun));
                this.changed();
            }
        } catch (error) {
            if (!this.stopped.signal.aborted) this.failed(error);
        } finally {
            this.isCatchingUp = false;
        }
    }

    private async catchUpOnce(): Promise<void> {
        const wanted = [...this.stale.values()];
        const isStackStale = this.isStackStale;
        this.stale.clear();
        this.isStackStale = false;
        if (wanted.length > FEW || wanted.some((at) => at.id === this.at.id))
            return this.refresh();
        if (isStackStale) await this.refreshStack();
        const { signal } = this.stopped;
        const found = await Promise.all(
            wanted.map((at) =>
                showTree(at, signal).catch((error: unknown) => {
                    // It has gone already: only the whole tree tells what is there now.
                    if (error instanceof ApiError && error.status === 404) return null;
                    throw error;
                }),
            ),
        );
        const isWhole = found.every(
            (each) => each && this.tree && graft(this.tree, each.stack),
        );
        if (!isWhole) await this.refresh();
    }

    private failed(error: unknown): void {
        this.error.value =
            error instanceof ApiError ? error : new ApiError(0, "", String(error));
    }

    /** Count up soon: at the next frame, or in a large tree, where that costs more, less often. */
    private changed(isUrgent = false): void {
        if (this.timer && !isUrgent) return;
        window.clearTimeout(this.timer);
        const size = this.tree?.nodes.size ?? 0;
        const wait = isUrgent
            ? 0
            : Math.max(0, this.drawn + size / NODES_PER_MS - performance.now());
        this.timer = window.setTimeout(() => {
            this.frame = requestAnimationFrame(() => this.draw());
        }, wait);
    }

    private draw(): void {
        this.timer = 0;
        this.drawn = performance.now();
        const stack = this.stack.value;
        const root = this.tree?.root;
        if (stack && root && stack.stack_status !== root.status) {
            this.stack.value = {
                ...stack,
                stack_status: root.status,
                stack_status_reason: root.reason,
                failures: isRunning(root.status) ? [] : (stack.failures ?? []),
            };
        }
        this.revision.value += 1;
    }
}

export const current = signal<StackStore | null>(null);

/** Open the store of a stack, and close that of the one before. */
export function openStack(at: At | null): void {
    const before = current.peek();
    if (before && at && before.at.id === at.id) return;
    before?.stop();
    current.value = at ? new StackStore(at) : null;
}
