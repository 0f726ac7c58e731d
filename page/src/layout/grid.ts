/**
 * Rows of parts that have nothing to do with each other, such as the members of a group.
 *
 * A line from the gate of the box runs down its side, along above a row, and into each part from the
 * left; a line to the other gate leaves to the right and runs below the row.
 */
import { GAP_X, GAP_Y } from "./sizes";
import type { Part, Point, Size } from "./shape";

/** How wide a grid should be for its height. */
const ASPECT = 1.7;

export interface Grid extends Size {
    places: Point[];
    /** For each part the heights at which the lines run above and below its row. */
    above: number[];
    below: number[];
}

/** Place parts in rows from the corner (0, 0); there is a channel above the first row and below the last. */
export function gridOf(parts: readonly Part[], widest: number): Grid {
    const area = parts.reduce(
        (sum, part) => sum + (part.width + GAP_X) * (part.height + GAP_Y),
        0,
    );
    const limit = Math.max(widest, Math.sqrt(area * ASPECT));
    const grid: Grid = { width: 0, height: 0, places: [], above: [], below: [] };
    let y = GAP_Y / 2;
    let row: number[] = [];
    let x = 0;
    let height = 0;
    const endRow = (): void => {
        for (const place of row) {
            grid.above[place] = y - 8;
            grid.below[place] = y + height + 8;
        }
        y += height + GAP_Y;
        row = [];
        x = 0;
        height = 0;
    };
    parts.forEach((part, place) => {
        if (row.length > 0 && x + part.width > limit) endRow();
        grid.places[place] = { x, y };
        row.push(place);
        x += part.width;
        grid.width = Math.max(grid.width, x);
        x += GAP_X;
        height = Math.max(height, part.height);
    });
    if (row.length > 0) endRow();
    grid.height = y - GAP_Y / 2;
    return grid;
}
