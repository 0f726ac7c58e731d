/**
 * A layered layout in one pass: for pictures of so many different boxes that ELK would take longer
 * than people wait. Columns by the longest way, the order in them by the middle of what they are
 * joined with, lines at right angles. Less tidy than ELK, and a hundred times as fast.
 */
import { GATE_IN, GATE_OUT } from "../model/graph";
import { simple } from "./box";
import { GAP_X, GAP_Y } from "./sizes";
import type { LayerLayout, Placed, Point, Shape } from "./shape";

/** A part, a gate, or the place in a column where a long line goes through. */
interface Stop {
    /** The place of the part; below 0 for what is no part. */
    part: number;
    column: number;
    width: number;
    height: number;
    takesAt: number;
    givesAt: number;
    before: Stop[];
    after: Stop[];
    x: number;
    y: number;
}

const SWEEPS = 4;
const LINE_GAP = 10;

export const inColumns: LayerLayout = (shape) => Promise.resolve(placedInColumns(shape));

export function placedInColumns(shape: Shape): Placed {
    const depth = depthsOf(shape);
    const last = Math.max(0, ...depth) + 2;
    // Gates stand in columns of their own, before the first and behind the last.
    const stops = shape.parts.map((part, place) =>
        stopOf(place, (depth[place] ?? 0) + 1, part),
    );
    const into = stopOf(-1, 0);
    const out = stopOf(-1, last);
    const all = [...stops];
    const uses = (gate: number): boolean =>
        shape.lines.some((line) => line.from === gate || line.to === gate);
    if (uses(GATE_IN)) all.push(into);
    if (uses(GATE_OUT)) all.push(out);
    const ways = shape.lines.map((line): Stop[] => {
        const from = line.from === GATE_IN ? into : stops[line.from];
        const to = line.to === GATE_OUT ? out : stops[line.to];
        if (!from || !to || from.column >= to.column) return [];
        const way = [from];
        for (let column = from.column + 1; column < to.column; column += 1) {
            const through = stopOf(-1, column);
            all.push(through);
            way.push(through);
        }
        way.push(to);
        way.forEach((stop, place) => {
            const next = way[place + 1];
            if (!next) return;
            stop.after.push(next);
            next.before.push(stop);
        });
        return way;
    });
    const columns: Stop[][] = Array.from({ length: last + 1 }, () => []);
    for (const stop of all) columns[stop.column]?.push(stop);
    order(columns);
    const height = settle(columns);
    const { width, slots } = spread(columns);
    return {
        width,
        height,
        takesAt: uses(GATE_IN) ? into.y : height / 2,
        givesAt: uses(GATE_OUT) ? out.y : height / 2,
        places: stops.map(({ x, y }) => ({ x, y })),
        routes: ways.map((way) => routeOf(way, slots)),
    };
}

function stopOf(
    part: number,
    column: number,
    size: { width: number; height: number; takesAt: number; givesAt: number } = NO_SIZE,
): Stop {
    const { width, height, takesAt, givesAt } = size;
    const place = { x: 0, y: 0, before: [], after: [] };
    return { part, column, width, height, takesAt, givesAt, ...place };
}

const NO_SIZE = { width: 0, height: 0, takesAt: 0, givesAt: 0 };

/** How many parts stand before each on its longest way. */
function depthsOf(shape: Shape): number[] {
    const before = shape.parts.map((): number[] => []);
    for (const line of shape.lines)
        if (line.from >= 0 && line.to >= 0) before[line.to]?.push(line.from);
    const found: number[] = [];
    const isOnWay = new Set<number>();
    const visit = (place: number): number => {
        const known = found[place];
        if (known !== undefined) return known;
        // Requirements have no circles; should there be one, it ends here.
        if (isOnWay.has(place)) return -1;
        isOnWay.add(place);
        const depth = 1 + Math.max(-1, ...(before[place] ?? []).map(visit));
        isOnWay.delete(place);
        found[place] = depth;
        return depth;
    };
    return shape.parts.map((_, place) => visit(place));
}

/** Each stop near the middle of those that it is joined with, forwards and backwards in turn. */
function order(columns: Stop[][]): void {
    const rank = new Map<Stop, number>();
    const note = (column: readonly Stop[]): void =>
        column.forEach((stop, place) => rank.set(stop, (place + 0.5) / column.length));
    columns.forEach(note);
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
        const isForward = sweep % 2 === 0;
        for (const column of isForward ? columns : [...columns].reverse()) {
            const wanted = new Map(
                column.map((stop) => {
                    const others = isForward ? stop.before : stop.after;
                    return [
                        stop,
                        mean(
                            others.map((each) => rank.get(each) ?? 0),
                            rank.get(stop),
                        ),
                    ];
                }),
            );
            column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
            note(column);
        }
    }
}

function mean(values: readonly number[], otherwise = 0): number {
    if (values.length === 0) return otherwise;
    return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** Heights: each stop level with those that it is joined with, as far as its column has room. */
function settle(columns: readonly Stop[][]): number {
    for (const column of columns) pack(column, () => undefined);
    for (let sweep = 0; sweep < 3; sweep += 1) {
        const isForward = sweep % 2 === 0;
        for (const column of isForward ? columns : [...columns].reverse())
            pack(column, (stop) => {
                const others = isForward ? stop.before : stop.after;
                if (others.length === 0) return undefined;
                const own = isForward ? stop.takesAt : stop.givesAt;
                const level = others.map(
                    (each) => each.y + (isForward ? each.givesAt : each.takesAt),
                );
                return mean(level) - own;
            });
    }
    const stops = columns.flat();
    const top = stops.reduce((least, stop) => Math.min(least, stop.y), Infinity);
    for (const stop of stops) stop.y = half(stop.y - top);
    return stops.reduce((most, stop) => Math.max(most, stop.y + stop.height), 0);
}

/** Put a column where its stops want to be, in their order and apart from each other. */
function pack(column: readonly Stop[], wanted: (stop: Stop) => number | undefined): void {
    let least = -Infinity;
    let drift = 0;
    let count = 0;
    column.forEach((stop, place) => {
        const next = column[place + 1];
        const wish = wanted(stop);
        stop.y = Math.max(wish ?? stop.y, least);
        if (wish !== undefined) {
            drift += wish - stop.y;
            count += 1;
        }
        const isNarrow = stop.part < 0 || (next?.part ?? -1) < 0;
        least = stop.y + stop.height + (isNarrow ? LINE_GAP : GAP_Y);
    });
    // Those that were pushed down pull the others up by as much.
    const shift = count ? drift / count : 0;
    for (const stop of column) stop.y += shift;
}

/** Columns side by side; between them each beginning of a line has a channel of its own. */
function spread(columns: readonly Stop[][]): { width: number; slots: Map<Stop, number> } {
    const slots = new Map<Stop, number>();
    const isUsed = columns.map((column) => column.length > 0);
    let x = 0;
    columns.forEach((column, number) => {
        if (!isUsed[number]) return;
        const width = column.reduce((most, stop) => Math.max(most, stop.width), 0);
        for (const stop of column) stop.x = x;
        x += width;
        const bent = column.filter((stop) =>
            stop.after.some((next) => next.y + next.takesAt !== stop.y + stop.givesAt),
        );
        if (!isUsed.slice(number + 1).some(Boolean)) return;
        const gap = Math.max(width === 0 ? GAP_X / 2 : GAP_X, (bent.length + 1) * LINE_GAP);
        bent.forEach((stop, place) =>
            slots.set(stop, half(x + (gap * (place + 1)) / (bent.length + 1))),
        );
        x += gap;
    });
    return { width: x, slots };
}

function routeOf(way: readonly Stop[], slots: ReadonlyMap<Stop, number>): Point[] {
    const route: Point[] = [];
    way.forEach((stop, place) => {
        if (place > 0) route.push({ x: stop.x, y: stop.y + stop.takesAt });
        const next = way[place + 1];
        if (!next) return;
        const y = stop.y + stop.givesAt;
        route.push({ x: stop.x + stop.width, y });
        const slot = slots.get(stop);
        const level = next.y + next.takesAt;
        if (level !== y && slot !== undefined)
            route.push({ x: slot, y }, { x: slot, y: level });
    });
    return simple(route);
}

const half = (value: number): number => Math.round(value * 2) / 2;
