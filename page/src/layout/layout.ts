/**
 * The layout of a whole graph, from the innermost boxes outwards.
 *
 * Each box is laid out by itself, and boxes of the same shape once: the five hundred members of a
 * group cost as much as one. What has been laid out is remembered, so that opening a box or a new
 * resource costs that box and those around it.
 */
import type { Graph, Item } from "../model/graph";
import { placeBox } from "./box";
import { CLOSED, LEAF } from "./sizes";
import { textOf } from "./shape";
import type { LayerLayout, Part, Placed, Shape } from "./shape";

/** Layouts by the key of their box; the root has the empty key. */
export type Layout = Map<string, Placed>;

/** Work on the page's own thread is cut into pieces of so many milliseconds. */
const PIECE = 12;
const REMEMBERED = 2000;

export class Planner {
    private readonly known = new Map<string, Placed>();
    /** How many boxes were really laid out, and not remembered. */
    made = 0;

    constructor(private readonly inLayers: LayerLayout) {}

    async layout(graph: Graph, signal: AbortSignal): Promise<Layout> {
        const found: Layout = new Map();
        let since = performance.now();
        for (const box of innermostFirst(graph.root)) {
            const shape = shapeOf(box, found);
            const text = textOf(shape);
            let placed = this.known.get(text);
            if (!placed) {
                placed = await placeBox(shape, this.inLayers);
                this.made += 1;
                if (this.known.size >= REMEMBERED) this.known.clear();
                this.known.set(text, placed);
                since = performance.now();
            } else if (performance.now() - since > PIECE) {
                await new Promise((resolve) => setTimeout(resolve));
                since = performance.now();
            }
            signal.throwIfAborted();
            found.set(box.key, placed);
        }
        return found;
    }
}

function innermostFirst(root: Item): Item[] {
    const found: Item[] = [];
    const add = (item: Item): void => {
        for (const child of item.children) if (child.isOpen) add(child);
        found.push(item);
    };
    add(root);
    return found;
}

function shapeOf(box: Item, inner: Layout): Shape {
    return {
        parts: box.children.map((child) => partOf(child, inner)),
        lines: box.lines,
        isRoot: box.parent === null,
    };
}

function partOf(item: Item, inner: Layout): Part {
    const box = item.isOpen ? inner.get(item.key) : undefined;
    if (box) return box;
    const { width, height } = item.isBox ? CLOSED : LEAF;
    return { width, height, takesAt: height / 2, givesAt: height / 2 };
}
