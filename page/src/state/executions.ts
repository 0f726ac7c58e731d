/** Executions of workflows, live: the newest of a project or of some workflows, and one of them. */
import { signal } from "@preact/signals";
import { follow } from "../api/events";
import type { Message, StreamState } from "../api/events";
import { ApiError } from "../api/http";
import { executionStream, executionsStream, showExecution } from "../api/workflows";
import type {
    Execution,
    ExecutionHead,
    ExecutionDetail,
    TaskHead,
    WorkflowGraph,
} from "../api/workflows";

/** The newest executions that no other one started; of these workflows, if some are named. */
export class ExecutionList {
    /** Null until they are known. */
    readonly rows = signal<readonly ExecutionHead[] | null>(null);
    readonly stream = signal<StreamState>("connecting");
    readonly error = signal<ApiError | null>(null);

    private known = new Map<string, ExecutionHead>();
    private isListed = false;
    private readonly stop = new AbortController();

    constructor(names: readonly string[] | null) {
        const { path, query } = executionsStream(names);
        const follower = {
            messages: (messages: Message[]) => this.take(messages),
            state: (state: StreamState) => this.connected(state),
            isOver: () => false,
            refused: (error: ApiError) => (this.error.value = error),
        };
        void follow(path, query, "", follower, this.stop.signal);
    }

    close(): void {
        this.stop.abort();
    }

    private connected(state: StreamState): void {
        this.stream.value = state;
        // Each connection begins with the whole list: what is not in it has gone.
        if (state === "live") {
            this.known = new Map();
            this.isListed = false;
        }
    }

    private take(messages: Message[]): void {
        for (const { event, data } of messages) {
            if (event === "listed") this.isListed = true;
            else if (event === "execution") {
                const found = JSON.parse(data) as ExecutionHead;
                this.known.set(found.id, found);
            } else if (event === "gone")
                this.known.delete((JSON.parse(data) as { id: string }).id);
        }
        if (this.isListed) this.rows.value = [...this.known.values()];
    }
}

/** One execution with its tasks. What it is made of is asked for once; then its changes come. */
export class ExecutionStore {
    readonly execution = signal<Execution | null>(null);
    readonly tasks = signal<readonly TaskHead[]>([]);
    readonly stream = signal<StreamState>("connecting");
    readonly error = signal<unknown>(null);
    graph: WorkflowGraph = { is_reverse: false, tasks: [] };

    private known = new Map<string, TaskHead>();
    private head: ExecutionHead | null = null;
    private detail: ExecutionDetail | null = null;
    private isGone = false;
    private readonly stop = new AbortController();

    constructor(readonly id: string) {
        void this.load();
        const follower = {
            messages: (messages: Message[]) => this.take(messages),
            state: (state: StreamState) => (this.stream.value = state),
            isOver: () => this.isGone,
            refused: (error: ApiError) => (this.error.value = error),
        };
        void follow(executionStream(id), {}, "", follower, this.stop.signal);
    }

    close(): void {
        this.stop.abort();
    }

    /** Ask for what no change brings: the graph, what went in and what came out. */
    async load(): Promise<void> {
        try {
            this.detail = await showExecution(this.id, this.stop.signal);
            this.graph = this.detail.graph;
            this.error.value = null;
            this.show();
        } catch (error) {
            if (!this.stop.signal.aborted) this.error.value = error;
        }
    }

    private take(messages: Message[]): void {
        let isChanged = false;
        for (const { event, data } of messages) {
            if (event === "task") {
                const task = JSON.parse(data) as TaskHead;
                this.known.set(task.id, task);
            } else if (event === "execution") {
                const head = JSON.parse(data) as ExecutionHead;
                isChanged ||= this.head !== null && head.state !== this.head.state;
                this.head = head;
            } else if (event === "gone") {
                this.isGone = true;
                this.error.value = new ApiError(404, "", "This execution has been removed.");
            }
        }
        this.tasks.value = [...this.known.values()];
        // Its output may be there now.
        if (isChanged) void this.load();
        this.show();
    }

    private show(): void {
        if (this.detail) this.execution.value = { ...this.detail.execution, ...this.head };
    }
}
