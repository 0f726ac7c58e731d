/** The graph of an execution's tasks: what is defined, what has run, and where each is drawn. */
import type { TaskHead, WorkflowGraph } from "../api/workflows";
import type { Tone } from "./status";

export interface TaskNode {
    name: string;
    /** What it calls: an action or a workflow. */
    call: string;
    isWorkflow: boolean;
    /** The newest run of it; null if it has not run. */
    run: TaskHead | null;
    /** How often it has run. */
    count: number;
    layer: number;
    /** The place in its layer, from 0. */
    place: number;
}

export interface TaskEdge {
    from: string;
    to: string;
    event: string;
    guard: string;
    /** Whether this execution has gone this way. */
    isTaken: boolean;
    /** Whether it leads back to an earlier task: a loop. */
    isBack: boolean;
}

export interface TaskGraph {
    nodes: TaskNode[];
    edges: TaskEdge[];
    layers: number;
    /** The most nodes in a layer. */
    widest: number;
}

export function toneOfState(state: string): Tone {
    switch (state) {
        case "SUCCESS":
            return "done";
        case "ERROR":
        case "CANCELLED":
            return "failed";
        case "RUNNING":
        case "DELAYED":
            return "running";
        case "PAUSED":
        case "WAITING":
            return "waiting";
        default:
            return "idle";
    }
}

/** Times are in UTC; those of Mistral's API do not say so. */
export const timeText = (text: string | null): string | null =>
    !text || text.endsWith("Z") ? text : `${text.replace(" ", "T")}Z`;

interface Context {
    triggered_by?: { task_id: string; event: string }[];
}

export function parsed(text: string | null | undefined): unknown {
    if (!text) return null;
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return text;
    }
}

export function graphOf(definition: WorkflowGraph, runs: readonly TaskHead[]): TaskGraph {
    const byId = new Map(runs.map((run) => [run.id, run]));
    const taken = new Set<string>();
    for (const run of runs)
        for (const each of (parsed(run.runtime_context) as Context | null)?.triggered_by ?? [])
            taken.add(`${byId.get(each.task_id)?.name} ${run.name} ${each.event}`);
    const names = new Set(definition.tasks.map((task) => task.name));
    const edges: TaskEdge[] = definition.tasks.flatMap((task) => [
        ...task.next
            .filter((next) => names.has(next.name))
            .map((next) => ({
                from: task.name,
                to: next.name,
                event: next.event,
                guard: next.guard,
                isTaken: taken.has(`${task.name} ${next.name} ${next.event}`),
                isBack: false,
            })),
        ...task.requires.map((name) => ({
            from: name,
            to: task.name,
            event: "requires",
            guard: "",
            isTaken: runs.some((run) => run.name === task.name),
            isBack: false,
        })),
    ]);
    const order = definition.tasks.map((task) => task.name);
    const layerOf = layersOf(order, edges);
    const rows = placesOf(order, edges, layerOf);
    const nodes = definition.tasks.map((task): TaskNode => {
        const mine = runs.filter((run) => run.name === task.name);
        const layer = layerOf.get(task.name) ?? 0;
        return {
            name: task.name,
            call: task.call,
            isWorkflow: task.type === "WORKFLOW",
            run: mine[mine.length - 1] ?? null,
            count: mine.length,
            layer,
            place: rows[layer]?.indexOf(task.name) ?? 0,
        };
    });
    const widest = Math.max(0, ...rows.map((row) => row.length));
    return { nodes, edges, layers: rows.length, widest };
}

/** A task stands below all that lead to it; edges that close a loop are marked. */
function layersOf(order: readonly string[], edges: readonly TaskEdge[]): Map<string, number> {
    const leaving = new Map<string, TaskEdge[]>();
    for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
    const state = new Map<string, "open" | "done">();
    const finished: string[] = [];
    const visit = (root: string): void => {
        const stack = [{ name: root, next: 0 }];
        state.set(root, "open");
        while (stack.length) {
            const top = stack[stack.length - 1];
            if (!top) return;
            const edge = leaving.get(top.name)?.[top.next];
            top.next += 1;
            if (!edge) {
                state.set(top.name, "done");
                finished.push(top.name);
                stack.pop();
            } else if (state.get(edge.to) === "open") edge.isBack = true;
            else if (!state.has(edge.to)) {
                state.set(edge.to, "open");
                stack.push({ name: edge.to, next: 0 });
            }
        }
    };
    const entered = new Set(edges.map((edge) => edge.to));
    for (const name of [...order.filter((each) => !entered.has(each)), ...order])
        if (!state.has(name)) visit(name);
    const layers = new Map(order.map((name) => [name, 0]));
    for (const name of finished.reverse())
        for (const edge of leaving.get(name) ?? [])
            if (!edge.isBack)
                layers.set(
                    edge.to,
                    Math.max(layers.get(edge.to) ?? 0, (layers.get(name) ?? 0) + 1),
                );
    return layers;
}

/** The order in each layer: each task near the middle of those that lead to it. */
function placesOf(
    order: readonly string[],
    edges: readonly TaskEdge[],
    layers: ReadonlyMap<string, number>,
): string[][] {
    const rows: string[][] = [];
    for (const name of order) {
        const layer = layers.get(name) ?? 0;
        while (rows.length <= layer) rows.push([]);
        rows[layer]?.push(name);
    }
    const places = new Map<string, number>();
    const settle = (row: readonly string[]): void =>
        row.forEach((name, index) => places.set(name, index - (row.length - 1) / 2));
    for (const row of rows) {
        const middle = (name: string): number => {
            const before = edges.filter((edge) => edge.to === name && !edge.isBack);
            const known = before.flatMap((edge) => places.get(edge.from) ?? []);
            return known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : 0;
        };
        const wanted = new Map(row.map((name) => [name, middle(name)]));
        row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
        settle(row);
    }
    return rows;
}
