/** The rows of the timeline: resources in lanes by nesting, those that began first above. */
import { Leaves } from "./graphLeaves";
import { isBox } from "./graph";
import { historyKey } from "./timeline";
import type { Histories, History, Mark, Operation, Span, Time, Wait } from "./timeline";
import { criticalPath } from "./timelinePath";
import type { Step } from "./timelinePath";
import type { ResourceNode, StackNode, Tree } from "./tree";

export interface Range {
    begin: number;
    end: number;
}

export interface Lane {
    /** Key of the resource in the tree, or its path if it is no longer there. */
    key: string;
    name: string;
    type: string;
    path: readonly string[];
    /** Null for what the tree no longer has. */
    node: ResourceNode | null;
    spans: Span[];
    waits: Wait[];
    marks: Mark[];
    begin: number;
    end: number;
    /** Something in it has not ended: its end is now. */
    isRunning: boolean;
    children: Lane[];
    /** Whether it, or something inside it, is on the critical path. */
    isCritical: boolean;
    /** Which of its spans are. */
    critical: Set<Span>;
}

export interface LaneRow {
    lane: Lane;
    level: number;
    position: number;
    setSize: number;
    isOpen: boolean;
}

/** The time of an operation; of all of them if none is named. */
export function rangeOf(
    histories: Histories,
    operation: Operation | undefined,
    now: number,
): Range {
    const { operations } = histories;
    const begin = (operation ?? operations[0])?.begin ?? now;
    const last = operation ?? operations[operations.length - 1];
    return { begin, end: Math.max(last?.end ?? now, begin + 1000) };
}

/** What each resource did in an operation, or in all of them. What did nothing has no lane. */
export function lanesOf(
    tree: Tree,
    histories: Histories,
    operation: Operation | undefined,
    now: number,
): Lane[] {
    const number = operation ? histories.operations.indexOf(operation) : -1;
    const gone = new Map<string, History[]>();
    const names = new Map<string, Set<string>>();
    for (const [id, stack] of tree.stacks)
        names.set(id, new Set(stack.resources.map((node) => node.name)));
    for (const history of histories.all.values()) {
        const stack = tree.stacks.get(history.stackId);
        if (stack && names.get(stack.id)?.has(history.name)) continue;
        const owner = stack ? history.stackId : ownerOf(histories, history.stackId);
        const list = gone.get(owner);
        if (list) list.push(history);
        else gone.set(owner, [history]);
    }

    const laneOf = (
        node: ResourceNode | null,
        history: History | undefined,
        path: readonly string[],
        type: string,
        children: Lane[],
    ): Lane | null => {
        const spans = inOperation(history?.spans);
        const waits = inOperation(history?.waits);
        const marks = (history?.marks ?? []).filter(
            (mark) => number < 0 || mark.operation === number,
        );
        if (spans.length + waits.length + marks.length + children.length === 0) return null;
        const lane: Lane = {
            key: node?.key ?? path.join("/"),
            name: path[path.length - 1] ?? "",
            type,
            path,
            node,
            spans,
            waits,
            marks,
            begin: Infinity,
            end: -Infinity,
            isRunning: false,
            children,
            isCritical: false,
            critical: new Set(),
        };
        const extend = (begin: number, end: number | null): void => {
            lane.begin = Math.min(lane.begin, begin);
            lane.end = Math.max(lane.end, end ?? now);
            if (end === null) lane.isRunning = true;
        };
        for (const span of spans) extend(span.begin, span.end);
        for (const wait of waits) extend(wait.begin, wait.end);
        for (const mark of marks) extend(mark.time, mark.time);
        for (const child of children) extend(child.begin, child.isRunning ? null : child.end);
        return lane;
    };
    const inOperation = <T extends Time>(times: T[] = []): T[] =>
        number < 0
            ? times
            : times.filter((each) => each.from <= number && (each.to ?? Infinity) >= number);

    const goneIn = (owner: string, around: readonly string[], depth: number): Lane[] =>
        (gone.get(owner) ?? []).flatMap((history) => {
            const path = [...around, history.name];
            const inner =
                depth > 20
                    ? []
                    : goneIn(historyKey(history.stackId, history.name), path, depth + 1);
            return laneOf(null, history, path, history.type, inner) ?? [];
        });

    const within = (stack: StackNode): Lane[] => {
        const names = new Set<string>();
        const lanes: Lane[] = [];
        for (const node of stack.resources) {
            // All versions of a name share one lane; the one that stands for it comes first.
            if (names.has(node.name)) continue;
            names.add(node.name);
            const key = historyKey(stack.id, node.name);
            const inner = node.child ? within(node.child) : [];
            const children = [...inner, ...goneIn(key, node.path, 0)].sort(byBegin);
            const lane = laneOf(node, histories.all.get(key), node.path, node.type, children);
            if (lane) lanes.push(lane);
        }
        lanes.push(...goneIn(stack.id, stack.owner?.path ?? [], 0));
        return lanes.sort(byBegin);
    };
    return within(tree.root);
}

const byBegin = (a: Lane, b: Lane): number => a.begin - b.begin || a.end - b.end;

/** The key of the history of the resource that a stack was; its id or its name is that object's. */
function ownerOf(histories: Histories, stackId: string): string {
    return (
        histories.owners.get(stackId) ??
        histories.owners.get(histories.stackNames.get(stackId) ?? "") ??
        histories.rootId
    );
}

export interface CriticalPath {
    /** Its leaves, the first one first. */
    lanes: Lane[];
    /** How long its steps took together, in milliseconds. */
    taken: number;
}

/** Mark the lanes on the critical path, and the boxes that they are in. */
export function markCritical(tree: Tree, lanes: readonly Lane[], now: number): CriticalPath {
    const around = new Map<Lane, Lane>();
    const steps = new Map<Step, [Lane, Span]>();
    const add = (lane: Lane, parent: Lane | null): void => {
        if (parent) around.set(lane, parent);
        for (const child of lane.children) add(child, lane);
        if (lane.children.length > 0 || (lane.node && isBox(lane.node))) return;
        for (const span of lane.spans) {
            const step: Step = {
                id: lane.key,
                begin: span.begin,
                end: span.end ?? now,
                isDeletion: span.action === "DELETE",
                first: span.first,
                last: span.last ?? Infinity,
            };
            steps.set(step, [lane, span]);
        }
    };
    for (const lane of lanes) add(lane, null);
    const leaves = new Leaves();
    const keys = (id: string, way: "before" | "after"): string[] => {
        const node = tree.nodes.get(id);
        return node ? leaves[way](node).map((each) => each.key) : [];
    };
    const path = criticalPath([...steps.keys()], {
        before: (id) => keys(id, "before"),
        after: (id) => keys(id, "after"),
    });
    const found = new Set<Lane>();
    let taken = 0;
    for (const step of path) {
        const [lane, span] = steps.get(step) ?? [];
        if (!lane || !span) continue;
        taken += step.end - step.begin;
        found.add(lane);
        lane.critical.add(span);
        for (let each: Lane | undefined = lane; each; each = around.get(each))
            each.isCritical = true;
    }
    return { lanes: [...found], taken };
}

export function rowsOfLanes(
    lanes: readonly Lane[],
    isOpen: (lane: Lane) => boolean,
    onlyCritical = false,
): LaneRow[] {
    const rows: LaneRow[] = [];
    const add = (siblings: readonly Lane[], level: number): void => {
        const shown = onlyCritical ? siblings.filter((lane) => lane.isCritical) : siblings;
        shown.forEach((lane, index) => {
            const open = lane.children.length > 0 && isOpen(lane);
            rows.push({
                lane,
                level,
                position: index + 1,
                setSize: shown.length,
                isOpen: open,
            });
            if (open) add(lane.children, level + 1);
        });
    };
    add(lanes, 1);
    return rows;
}
