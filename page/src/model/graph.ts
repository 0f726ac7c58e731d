/**
 * The topology of a stack as boxes in boxes: what each box holds, and which lines are in it.
 *
 * A line never crosses the border of an open box: it ends at the border, at the gate through which
 * the box takes (left) or gives (right), and goes on inside from there to the leaves that wait first,
 * or from those that end last. So there are as many lines as resources and requirements, not as many
 * as pairs of leaves, and each box can be laid out by itself.
 *
 * Pure: made of the tree and of what is open. Status is not part of it.
 */
import type { ResourceNode, StackNode, Tree } from "./tree";

/** A resource in the picture: a leaf, a closed box, or an open box that holds others. */
export interface Item {
    /** Key of the resource; empty for the box around everything. */
    key: string;
    node: ResourceNode | null;
    parent: Item | null;
    depth: number;
    /** Whether it is a stack that has resources. */
    isBox: boolean;
    isOpen: boolean;
    /** Whether a version that took its place is beside it. */
    isReplaced: boolean;
    children: Item[];
    lines: Line[];
    /** Whether lines come to it, and go from it. */
    takes: boolean;
    gives: boolean;
}

/** What a line begins or ends at: the place of a child, or a gate of the box that holds it. */
export type End = number;
export const GATE_IN: End = -1;
export const GATE_OUT: End = -2;

export interface Line {
    from: End;
    to: End;
    /** `requires`: the end requires the beginning. `replaced`: the end took the beginning's place. */
    kind: "requires" | "replaced";
}

export interface Graph {
    root: Item;
    /** Everything that is drawn, each before what is inside it. */
    items: Map<string, Item>;
}

export const isBox = (node: ResourceNode): boolean => (node.child?.resources.length ?? 0) > 0;

export function buildGraph(tree: Tree, isOpen: (key: string) => boolean): Graph {
    const items = new Map<string, Item>();

    const addChildren = (parent: Item, stack: StackNode): void => {
        const standing = standingFor(stack);
        for (const node of stack.resources) {
            const box = isBox(node);
            const item: Item = {
                key: node.key,
                node,
                parent,
                depth: parent.depth + 1,
                isBox: box,
                isOpen: box && isOpen(node.key),
                isReplaced: standing.get(node.name) !== node,
                children: [],
                lines: [],
                takes: false,
                gives: false,
            };
            parent.children.push(item);
            items.set(item.key, item);
        }
        parent.lines = linesOf(parent, stack, standing);
        for (const item of parent.children)
            if (item.isOpen && item.node?.child) addChildren(item, item.node.child);
    };

    const root: Item = {
        key: "",
        node: null,
        parent: null,
        depth: -1,
        isBox: true,
        isOpen: true,
        isReplaced: false,
        children: [],
        lines: [],
        takes: false,
        gives: false,
    };
    addChildren(root, tree.root);
    return { root, items };
}

/** For each name the version that stands for it: the current one, or else the newest old one. */
export function standingFor(stack: StackNode): Map<string, ResourceNode> {
    const found = new Map<string, ResourceNode>();
    for (const node of stack.resources) {
        const before = found.get(node.name);
        if (!before || (before.isOld && !node.isOld)) found.set(node.name, node);
    }
    return found;
}

function linesOf(
    box: Item,
    stack: StackNode,
    standing: ReadonlyMap<string, ResourceNode>,
): Line[] {
    const places = new Map<string, number>();
    stack.resources.forEach((node, place) => {
        if (standing.get(node.name) === node) places.set(node.name, place);
    });
    const lines: Line[] = [];
    const waits = new Set<number>();
    const isAwaited = new Set<number>();
    stack.resources.forEach((node, from) => {
        const place = places.get(node.name) ?? from;
        if (place !== from) {
            lines.push({ from, to: place, kind: "replaced" });
            return;
        }
        for (const name of node.requiredBy) {
            const to = places.get(name);
            if (to === undefined || to === from) continue;
            lines.push({ from, to, kind: "requires" });
            waits.add(to);
            isAwaited.add(from);
        }
    });
    box.children.forEach((child, place) => {
        if (child.isReplaced) return;
        if (box.takes && !waits.has(place))
            lines.push({ from: GATE_IN, to: place, kind: "requires" });
        if (box.gives && !isAwaited.has(place))
            lines.push({ from: place, to: GATE_OUT, kind: "requires" });
        child.takes = waits.has(place) || box.takes;
        child.gives = isAwaited.has(place) || box.gives;
    });
    return lines;
}

/** What the picture shows as required by an item, through the gates of open boxes. */
export function shownAfter(item: Item): Item[] {
    return reach(item, "after").items;
}

/** What the picture shows as required for an item. */
export function shownBefore(item: Item): Item[] {
    return reach(item, "before").items;
}

/** A line, and the box that it is in. */
export type LineIn = readonly [box: Item, line: Line];

/** The lines that lead to an item and from it, through gates as far as the next items. */
export function linesAround(item: Item): LineIn[] {
    const inside = item.isOpen ? item.lines.map((line): LineIn => [item, line]) : [];
    return [...reach(item, "before").lines, ...reach(item, "after").lines, ...inside];
}

function reach(
    start: Item,
    way: "before" | "after",
): { items: Item[]; lines: readonly LineIn[] } {
    const items: Item[] = [];
    const lines: LineIn[] = [];
    const seen = new Set<string>();
    const [near, far] = way === "after" ? (["from", "to"] as const) : (["to", "from"] as const);
    const gateAhead = way === "after" ? GATE_OUT : GATE_IN;
    const gateBehind = way === "after" ? GATE_IN : GATE_OUT;

    const follow = (box: Item, from: End): void => {
        for (const line of box.lines) {
            if (line.kind !== "requires" || line[near] !== from) continue;
            lines.push([box, line]);
            const child = box.children[line[far]];
            if (line[far] === gateAhead) leave(box);
            else if (child) enter(child);
        }
    };
    const enter = (item: Item): void => {
        if (seen.has(item.key)) return;
        seen.add(item.key);
        if (item.isOpen) follow(item, gateBehind);
        else items.push(item);
    };
    const leave = (item: Item): void => {
        if (item.parent) follow(item.parent, item.parent.children.indexOf(item));
    };
    leave(start);
    return { items, lines };
}
