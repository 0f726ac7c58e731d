/**
 * The live store of one stack: one request for its tree, and then only what changes.
 *
 * The tree is changed in place; `revision` counts up, at most once for each frame, when something
 * has changed. A component that reads `store.revision.value` is drawn again by that.
 */
import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { follow, listEvents } from "../api/events";
import type { Message, StreamState } from "../api/events";
import { ApiError } from "../api/http";
import { showStack, showTree, stackPath } from "../api/stacks";
import type { At } from "../api/stacks";
import type { Stack, StackEvent } from "../api/types";
import { isRunning } from "../model/status";
import { applyEvent, buildTree, isOfStack, noCounts, rollUps, stackIdOf } from "../model/tree";
import type { Counts, Tree } from "../model/tree";

/** Events that are kept in memory; older ones are asked for. */
const KEPT = 5000;
const SHORTEST_PAUSE = 300;

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
    private isRefreshing = false;
    private isStale = false;
    private pause = SHORTEST_PAUSE;

    constructor(readonly at: At) {
        void this.run();
    }

    stop(): void {
        this.stopped.abort();
        cancelAnimationFrame(this.frame);
    }

    /** Ask for the stack and its tree once more, for example after an action of the user. */
    async refresh(): Promise<void> {
        const { signal } = this.stopped;
        const [stack, tree] = await Promise.all([
            showStack(this.at, signal),
            showTree(this.at, signal),
        ]);
        this.etag = stack.headers.get("etag") ?? "";
        this.stack.value = stack.data;
        this.tree = buildTree(tree);
        this.error.value = null;
        this.changed();
    }

    private async run(): Promise<void> {
        const { signal } = this.stopped;
        try {
            // First the mark, then the tree: what happens in between comes again and changes nothing.
            const newest = await listEvents(this.at, { limit: 1 }, signal);
            await this.refresh();
            await follow(
                stackPath(this.at, "/events/stream"),
                { nested_depth: "MAX" },
                newest[0]?.id ?? "",
                {
                    messages: (messages) => this.take(messages),
                    state: (state) => (this.stream.value = state),
                    refused: (error) => (this.error.value = error),
                },
                signal,
            );
        } catch (error) {
            if (!signal.aborted) this.failed(error);
        }
    }

    private take(messages: Message[]): void {
        let needsTree = false;
        let needsStack = false;
        for (const message of messages) {
            const event = JSON.parse(message.data) as StackEvent;
            this.events.push(event);
            if (this.tree === null) continue;
            if (applyEvent(this.tree, event) === "structure") needsTree = true;
            // What it failed of, and its ETag, are in the stack itself.
            if (isOfStack(event) && stackIdOf(event) === this.at.id) needsStack = true;
        }
        if (this.events.length > KEPT) this.events.splice(0, this.events.length - KEPT);
        if (needsTree || needsStack) void this.refreshSoon();
        this.changed();
    }

    /** Refresh once for all that happens within a moment; the pause grows with what it costs. */
    private async refreshSoon(): Promise<void> {
        this.isStale = true;
        if (this.isRefreshing) return;
        this.isRefreshing = true;
        try {
            while (this.isStale && !this.stopped.signal.aborted) {
                await new Promise((resolve) => setTimeout(resolve, this.pause));
                this.isStale = false;
                const begun = performance.now();
                await this.refresh();
                this.pause = Math.max(SHORTEST_PAUSE, 3 * (performance.now() - begun));
            }
        } catch (error) {
            if (!this.stopped.signal.aborted) this.failed(error);
        } finally {
            this.isRefreshing = false;
        }
    }

    private failed(error: unknown): void {
        this.error.value =
            error instanceof ApiError ? error : new ApiError(0, "", String(error));
    }

    private changed(): void {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
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
        });
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
