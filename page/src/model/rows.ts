/** Which rows the tree shows: what is open, what a filter lets pass, in which order. */
import { toneOf } from "./status";
import type { Tone } from "./status";
import type { ResourceNode, StackNode } from "./tree";

export interface RowFilter {
    /** Part of the path or of the physical id, in any case. */
    text: string;
    /** Tones to show; none means all. */
    tones: ReadonlySet<Tone>;
    /** A resource type, or empty for all. */
    type: string;
}

export interface RowOptions {
    filter: RowFilter;
    isOpen: (node: ResourceNode, level: number) => boolean;
    failuresFirst: boolean;
}

export interface Row {
    node: ResourceNode;
    /** From 1, as screen readers count. */
    level: number;
    hasChildren: boolean;
    isOpen: boolean;
    position: number;
    setSize: number;
    /** Shown for what is inside it, though it does not fit the filter itself. */
    isContext: boolean;
}

export const isFiltering = (filter: RowFilter): boolean =>
    filter.text !== "" || filter.tones.size > 0 || filter.type !== "";

export function fits(node: ResourceNode, filter: RowFilter): boolean {
    if (filter.tones.size > 0 && !filter.tones.has(toneOf(node.status, node.hook)))
        return false;
    if (filter.type && node.type !== filter.type) return false;
    if (filter.text) {
        const text = filter.text.toLowerCase();
        if (
            !node.key.toLowerCase().includes(text) &&
            !node.physicalId.toLowerCase().includes(text)
        )
            return false;
    }
    return true;
}

const ORDER: Record<Tone, number> = { failed: 0, waiting: 1, running: 2, done: 3, idle: 4 };

/** The rows from the top; with a filter, what fits and all that leads to it, opened. */
export function rowsOf(root: StackNode, options: RowOptions): Row[] {
    const { filter, failuresFirst } = options;
    const isFiltered = isFiltering(filter);
    const wanted = isFiltered ? fitting(root, filter) : null;
    const ranks = failuresFirst ? ranksOf(root) : null;
    const rows: Row[] = [];

    const add = (stack: StackNode, level: number): void => {
        let nodes = wanted
            ? stack.resources.filter((node) => wanted.has(node))
            : stack.resources;
        if (ranks) nodes = [...nodes].sort((a, b) => (ranks.get(a) ?? 9) - (ranks.get(b) ?? 9));
        nodes.forEach((node, index) => {
            const hasChildren = node.child !== null && node.child.resources.length > 0;
            const isOpen =
                hasChildren && (wanted ? hasWanted(node, wanted) : options.isOpen(node, level));
            rows.push({
                node,
                level,
                hasChildren,
                isOpen,
                position: index + 1,
                setSize: nodes.length,
                isContext: isFiltered && !fits(node, filter),
            });
            if (isOpen && node.child) add(node.child, level + 1);
        });
    };
    add(root, 1);
    return rows;
}

function hasWanted(node: ResourceNode, wanted: ReadonlySet<ResourceNode>): boolean {
    return node.child?.resources.some((each) => wanted.has(each)) ?? false;
}

/** What fits, and what contains something that does. */
function fitting(root: StackNode, filter: RowFilter): Set<ResourceNode> {
    const wanted = new Set<ResourceNode>();
    const look = (stack: StackNode): boolean => {
        let found = false;
        for (const node of stack.resources) {
            const inside = node.child ? look(node.child) : false;
            if (inside || fits(node, filter)) {
                wanted.add(node);
                found = true;
            }
        }
        return found;
    };
    look(root);
    return wanted;
}

/** The most urgent tone in or below each resource. */
function ranksOf(root: StackNode): Map<ResourceNode, number> {
    const ranks = new Map<ResourceNode, number>();
    const look = (stack: StackNode): number => {
        let best = 9;
        for (const node of stack.resources) {
            const own = ORDER[toneOf(node.status, node.hook)];
            const rank = node.child ? Math.min(own, look(node.child)) : own;
            ranks.set(node, rank);
            best = Math.min(best, rank);
        }
        return best;
    };
    look(root);
    return ranks;
}

/** All types in a tree with how many resources have them, by name. */
export function typesIn(root: StackNode): [string, number][] {
    const counts = new Map<string, number>();
    const look = (stack: StackNode): void => {
        for (const node of stack.resources) {
            counts.set(node.type, (counts.get(node.type) ?? 0) + 1);
            if (node.child) look(node.child);
        }
    };
    look(root);
    return [...counts].sort(([a], [b]) => a.localeCompare(b));
}
