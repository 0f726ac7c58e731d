/** How long an operation may still take: the longest chain of what is left, by usual durations. */
import type { Duration } from "../api/history";
import { isRunning, stateOf } from "./status";
import { timeOf } from "./times";
import type { ResourceNode, StackNode, Tree } from "./tree";

/** Milliseconds, or null if nothing can be said. */
export function remaining(
    tree: Tree,
    durations: readonly Duration[],
    now: number,
): number | null {
    const usual = new Map(
        durations.map((each) => [`${each.resource_type} ${each.action}`, each.seconds * 1000]),
    );
    const { action } = stateOf(tree.root.status);
    const left = chain(tree.root, action === "ROLLBACK" ? "UPDATE" : action, usual, now);
    return left > 0 ? left : null;
}

function chain(
    stack: StackNode,
    action: string,
    usual: Map<string, number>,
    now: number,
): number {
    const byName = new Map<string, ResourceNode>();
    for (const node of stack.resources)
        if (!node.isOld || !byName.has(node.name)) byName.set(node.name, node);
    const ends = new Map<string, number>();
    const endOf = (name: string): number => {
        const known = ends.get(name);
        if (known !== undefined) return known;
        const node = byName.get(name);
        if (!node) return 0;
        ends.set(name, 0);
        const later = Math.max(0, ...node.requiredBy.map(endOf));
        const end = own(node, action, usual, now) + later;
        ends.set(name, end);
        return end;
    };
    let longest = 0;
    for (const name of byName.keys()) longest = Math.max(longest, endOf(name));
    return longest;
}

function own(
    node: ResourceNode,
    action: string,
    usual: Map<string, number>,
    now: number,
): number {
    const isOn = isRunning(node.status);
    const isNext = node.status === "INIT_COMPLETE";
    if (!isOn && !isNext) return 0;
    if (node.child && node.child.resources.length > 0)
        return chain(node.child, action, usual, now);
    const took = usual.get(`${node.type} ${isOn ? stateOf(node.status).action : action}`) ?? 0;
    return isOn ? Math.max(0, took - (now - timeOf(node.updated))) : took;
}
