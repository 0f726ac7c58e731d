/** The layout of one box: layers where parts depend on each other, a grid below for the others. */
import { GATE_IN, GATE_OUT } from "../model/graph";
import type { Line } from "../model/graph";
import { gridOf } from "./grid";
import { GAP_Y, NARROWEST_BOX, PADDING, TITLE, TRUNK } from "./sizes";
import type { LayerLayout, Placed, Point, Shape } from "./shape";

/** Parts that stand between the gates alone; up to so many are left in a layer. */
const FEW = 5;
const STUB = 14;

export async function placeBox(shape: Shape, inLayers: LayerLayout): Promise<Placed> {
    const isAlone = shape.parts.map(() => true);
    const hasLine = shape.parts.map(() => false);
    for (const line of shape.lines)
        for (const end of [line.from, line.to])
            if (end >= 0) {
                hasLine[end] = true;
                if (line.from >= 0 && line.to >= 0) isAlone[end] = false;
            }
    const alone = shape.parts.flatMap((_, place) => (isAlone[place] ? [place] : []));
    const isGridded = (place: number): boolean =>
        isAlone[place] === true && (alone.length > FEW || !hasLine[place]);

    const layered: number[] = [];
    const gridded: number[] = [];
    shape.parts.forEach((_, place) => (isGridded(place) ? gridded : layered).push(place));
    const layers = await partLayout(shape, layered, inLayers);
    return compose(shape, layers, gridded);
}

interface Layers {
    placed: Placed;
    /** Which part of the shape each of its parts is, and which line each of its lines. */
    parts: number[];
    lines: number[];
}

async function partLayout(
    shape: Shape,
    parts: number[],
    inLayers: LayerLayout,
): Promise<Layers | null> {
    if (parts.length === 0) return null;
    const places = new Map(parts.map((part, place) => [part, place]));
    const at = (end: number): number | undefined => (end < 0 ? end : places.get(end));
    const lines: Line[] = [];
    const numbers: number[] = [];
    shape.lines.forEach((line, number) => {
        const [from, to] = [at(line.from), at(line.to)];
        if (from === undefined || to === undefined) return;
        lines.push({ from, to, kind: line.kind });
        numbers.push(number);
    });
    const placed = await inLayers({
        parts: parts.flatMap((part) => shape.parts[part] ?? []),
        lines,
        isRoot: true,
    });
    return { placed, parts, lines: numbers };
}

function compose(shape: Shape, layers: Layers | null, gridded: readonly number[]): Placed {
    const takes = shape.lines.some((line) => line.from === GATE_IN);
    const gives = shape.lines.some((line) => line.to === GATE_OUT);
    const left = shape.isRoot ? 0 : PADDING + (gridded.length && takes ? TRUNK + STUB : 0);
    const right = shape.isRoot ? 0 : PADDING + (gridded.length && gives ? TRUNK + STUB : 0);
    const top = shape.isRoot ? 0 : TITLE + PADDING / 2;
    const bottom = shape.isRoot ? 0 : PADDING / 2;
    const grid = gridOf(
        gridded.flatMap((part) => shape.parts[part] ?? []),
        layers?.placed.width ?? 0,
    );
    const gridTop = top + (layers ? layers.placed.height + GAP_Y / 2 : 0);
    const inner = Math.max(grid.width, layers?.placed.width ?? 0);
    const width = Math.max(inner + left + right, shape.isRoot ? 0 : NARROWEST_BOX);
    const height =
        (gridded.length ? gridTop + grid.height : top + (layers?.placed.height ?? 0)) + bottom;

    const places: Point[] = [];
    const routes: Point[][] = shape.lines.map(() => []);
    layers?.parts.forEach((part, number) => {
        places[part] = moved(layers.placed.places[number], left, top);
    });
    gridded.forEach((part, number) => {
        places[part] = moved(grid.places[number], left, gridTop);
    });

    const usesGate = (gate: number): boolean =>
        layers?.lines.some((number) => {
            const line = shape.lines[number];
            return line?.from === gate || line?.to === gate;
        }) ?? false;
    const firstRow = gridded.length ? gridTop + (grid.above[0] ?? 0) : height / 2;
    const takesAt =
        layers && usesGate(GATE_IN)
            ? top + layers.placed.takesAt
            : takes
              ? firstRow
              : height / 2;
    const givesAt =
        layers && usesGate(GATE_OUT)
            ? top + layers.placed.givesAt
            : gives
              ? gridTop + (grid.below[0] ?? 0)
              : height / 2;

    layers?.lines.forEach((number, place) => {
        const line = shape.lines[number];
        const route = (layers.placed.routes[place] ?? []).map((point) =>
            moved(point, left, top),
        );
        if (line?.from === GATE_IN) route.unshift({ x: 0, y: takesAt });
        if (line?.to === GATE_OUT) route.push({ x: width, y: givesAt });
        routes[number] = simple(route);
    });
    const cells = new Map(gridded.map((part, cell) => [part, cell]));
    shape.lines.forEach((line, number) => {
        const part = line.from === GATE_IN ? line.to : line.from;
        const row = cells.get(part);
        const at = places[part];
        const size = shape.parts[part];
        if (row === undefined || !at || !size) return;
        if (line.from === GATE_IN) {
            const y = gridTop + (grid.above[row] ?? 0);
            const into = at.y + size.takesAt;
            routes[number] = simple([
                { x: 0, y: takesAt },
                { x: PADDING / 2, y: takesAt },
                { x: PADDING / 2, y },
                { x: at.x - STUB, y },
                { x: at.x - STUB, y: into },
                { x: at.x, y: into },
            ]);
        } else if (line.to === GATE_OUT) {
            const y = gridTop + (grid.below[row] ?? 0);
            const out = at.y + size.givesAt;
            const x = at.x + size.width;
            routes[number] = simple([
                { x, y: out },
                { x: x + STUB, y: out },
                { x: x + STUB, y },
                { x: width - PADDING / 2, y },
                { x: width - PADDING / 2, y: givesAt },
                { x: width, y: givesAt },
            ]);
        }
    });
    return { width, height, takesAt, givesAt, places, routes };
}

function moved(point: Point | undefined, dx: number, dy: number): Point {
    return { x: (point?.x ?? 0) + dx, y: (point?.y ?? 0) + dy };
}

/** The same path without points that change nothing. */
export function simple(route: readonly Point[]): Point[] {
    const kept: Point[] = [];
    for (const point of route) {
        const last = kept[kept.length - 1];
        if (last && last.x === point.x && last.y === point.y) continue;
        const before = kept[kept.length - 2];
        if (last && before && isStraight(before, last, point)) kept.pop();
        kept.push(point);
    }
    return kept;
}

const isStraight = (a: Point, b: Point, c: Point): boolean =>
    (a.x === b.x && b.x === c.x) || (a.y === b.y && b.y === c.y);
