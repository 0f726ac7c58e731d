/**
 * What of a scene is drawn: only what is in sight, and much of it more plainly.
 *
 * There are never more elements than a browser moves at ease, however large the stack is.
 */
import { overlaps } from "./scene";
import type { PlacedItem, PlacedLine, Rect, Scene } from "./scene";

export interface Drawn {
    /** The scale that this was chosen for. */
    scale: number;
    /** Boxes and leaves with all their words, each box before what is inside it. */
    items: PlacedItem[];
    lines: PlacedLine[];
    /** Where there is no room for words: leaves and closed boxes by tone, open boxes as frames. */
    specks: PlacedItem[];
    frames: PlacedItem[];
    /** Of these, the boxes that have room for a name. */
    labels: PlacedItem[];
    /** Lines too many to be elements of their own. */
    threads: PlacedLine[];
}

/** On the screen, in pixels: a leaf lower than this is a speck, a box lower than this shows no inside. */
const SPECK = 8;
const LOWEST_BOX = 26;
const NARROWEST_LABEL = 70;
const MOST_ITEMS = 240;
const MOST_LINES = 700;
const MOST_LABELS = 150;

export function drawnOf(scene: Scene, sight: Rect, scale: number): Drawn {
    const inSight: PlacedItem[] = [];
    let lines: PlacedLine[] = [];
    const add = (placed: PlacedItem): void => {
        if (!overlaps(placed, sight)) return;
        if (placed.item.parent !== null) inSight.push(placed);
        if (!placed.item.isOpen || placed.height * scale < LOWEST_BOX) return;
        for (const line of placed.lines) if (isInSight(line, sight, scale)) lines.push(line);
        for (const child of placed.children) add(child);
    };
    add(scene.root);

    const drawn: Drawn = {
        scale,
        items: [],
        lines: [],
        specks: [],
        frames: [],
        labels: [],
        threads: [],
    };
    const isPlain = inSight.length > MOST_ITEMS;
    for (const placed of inSight) {
        const isFrame = placed.item.isOpen && placed.height * scale >= LOWEST_BOX;
        if (isPlain || placed.height * scale < SPECK)
            (isFrame ? drawn.frames : drawn.specks).push(placed);
        else drawn.items.push(placed);
    }
    if (isPlain)
        drawn.labels = inSight
            .filter((each) => each.item.isBox && each.width * scale > NARROWEST_LABEL)
            .slice(0, MOST_LABELS);
    if (lines.length > MOST_LINES) [drawn.threads, lines] = [lines, []];
    drawn.lines = lines;
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
    if ((right - left + bottom - top) * scale < 4) return false;
    const rect = { x: left - 1, y: top - 1, width: right - left + 2, height: bottom - top + 2 };
    return overlaps(rect, sight);
}
