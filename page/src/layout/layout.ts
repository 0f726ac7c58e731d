/**
 * The layout of a whole graph, from the innermost boxes outwards.
 *
 * Each box is laid out by itself, and boxes of the same shape once: the five hundred members of a
 * group cost as much as one. What has been laid out is remembered, so that opening a box or a new
 * resource costs that box and those around it. Where too many boxes differ, only the outermost is laid
 * out with care: the picture is there at once, and less tidy inside.
 */
import type { Graph, Item } from "../model/graph";
import { placeBox } from "./box";
import { inColumns } from "./columns";
import { CLOSED, LEAF } from "./sizes";
import { textOf } from "./shape";
import type { LayerLayout, Part, Placed, Shape } from "./shape";

/** Layouts by the key of their box; the root has the empty key. */
export type Layout = Map<string, Placed>;

/** Work on the page's own thread is cut into pieces of so many milliseconds. */
const PIECE = 12;
const REMEMBERED = 2000;
/** ELK takes some 20 ms for a box: as many that differ are waited for. */
export const MANY_SHAPES = 50;

/** How far a layout is: boxes that are laid out, of all that are open. */
export interface Advance {
    done: number;
    all: number;
}

export class Planner {
    private readonly known = new Map<string, Placed>();
    /** How many boxes were really laid out, and not remembered. */
    made = 0;

    constructor(private readonly inLayers: LayerLayout) {}

    async layout(
        graph: Graph,
        signal: AbortSignal,
        tell: (advance: Advance) => void = () => undefined,
    ): Promise<Layout> {
        const found: Layout = new Map();
        const boxes = innermostFirst(graph.root);
        const isHasty = countShapes(boxes) > MANY_SHAPES;
        let since = performance.now();
        for (const [done, box] of boxes.entries()) {
            const shape = shapeOf(box, found);
            const isQuick = isHasty && !shape.isRoot;
            const text = `${isQuick ? "Q" : ""}${textOf(shape)}`;
            let placed = this.known.get(text);
            if (!placed) {
                placed = await placeBox(shape, isQuick ? inColumns : this.inLayers);
                this.made += 1;
                if (this.known.size >= REMEMBERED) this.known.clear();
                this.known.set(text, placed);
                if (!isQuick) {
                    // The page's own thread was free meanwhile.
                    tell({ done, all: boxes.length });
                    since = performance.now();
                }
            }
            if (performance.now() - since > PIECE) {
                tell({ done, all: boxes.length });
                await new Promise((resolve) => setTimeout(resolve));
                since = performance.now();
            }
            signal.throwIfAborted();
            found.set(box.key, placed);
        }
        return found;
    }
}

/** How many of the boxes differ in what they hold. */
function countShapes(boxes: readonly Item[]): number {
    const shapes = new Set<string>();
    for (const { children, lines } of boxes)
        shapes.add(
            `${children.map((child) => (child.isOpen ? "o" : child.isBox ? "b" : ".")).join("")} ` +
                lines.map((line) => `${line.from}>${line.to}`).join(" "),
        );
    return shapes.size;
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
