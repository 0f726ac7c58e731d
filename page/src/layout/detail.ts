/**
 * What of a scene is drawn: only what is in sight, and small things more plainly.
 *
 * There are never more elements than a browser moves at ease, however large the stack is.
 */
import { overlaps } from "./scene";
import type { PlacedItem, PlacedLine, Rect, Scene } from "./scene";

export interface Drawn {
    /** Boxes and leaves with all their words, each box before what is inside it. */
    items: PlacedItem[];
    lines: PlacedLine[];
    /** Leaves too small for words: drawn together, by tone. */
    specks: PlacedItem[];
    /** Lines too many to be elements of their own. */
    threads: PlacedLine[];
}

/** On the screen, in pixels: a leaf lower than this is a speck, a box lower than this shows no inside. */
const SPECK = 8;
const LOWEST_BOX = 26;
const MOST_ITEMS = 700;
const MOST_LINES = 900;

export function drawnOf(scene: Scene, sight: Rect, scale: number): Drawn {
    const drawn: Drawn = { items: [], lines: [], specks: [], threads: [] };
    const add = (placed: PlacedItem): void => {
        if (!overlaps(placed, sight)) return;
        const isShown = placed.item.isOpen && placed.height * scale >= LOWEST_BOX;
        if (placed.item.parent !== null)
            (placed.height * scale < SPECK ? drawn.specks : drawn.items).push(placed);
        if (!isShown) return;
        for (const line of placed.lines)
            if (isInSight(line, sight, scale)) drawn.lines.push(line);
        for (const child of placed.children) add(child);
    };
    add(scene.root);
    if (drawn.items.length > MOST_ITEMS) {
        const all = drawn.items;
        drawn.items = all.filter((each) => each.item.isOpen).slice(0, MOST_ITEMS);
        const isKept = new Set(drawn.items);
        drawn.specks.push(...all.filter((each) => !isKept.has(each)));
    }
    if (drawn.lines.length > MOST_LINES) {
        drawn.threads = drawn.lines;
        drawn.lines = [];
    }
    return drawn;
}

function isInSight({ route }: PlacedLine, sight: Rect, scale: number): boolean {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of route) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
    }
    if ((right - left + bottom - top) * scale < 2) return false;
    const rect = { x: left - 1, y: top - 1, width: right - left + 2, height: bottom - top + 2 };
    return overlaps(rect, sight);
}
