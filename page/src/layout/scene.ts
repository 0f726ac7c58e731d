/** What the layout of all boxes comes to: every item and line at its place in the whole picture. */
import { GATE_IN, GATE_OUT } from "../model/graph";
import type { Graph, Item, Line } from "../model/graph";
import type { Layout } from "./layout";
import { CLOSED, LEAF } from "./sizes";
import type { Point, Size } from "./shape";

export interface Rect extends Size {
    x: number;
    y: number;
}

export interface PlacedItem extends Rect {
    item: Item;
    /** Inside an open box. */
    children: PlacedItem[];
    lines: PlacedLine[];
}

export interface PlacedLine {
    key: string;
    box: Item;
    line: Line;
    route: Point[];
}

export interface Scene extends Size {
    root: PlacedItem;
    items: Map<string, PlacedItem>;
}

export function sceneOf(graph: Graph, layout: Layout): Scene {
    const items = new Map<string, PlacedItem>();

    const place = (item: Item, x: number, y: number): PlacedItem => {
        const inner = item.isOpen ? layout.get(item.key) : undefined;
        const size = inner ?? (item.isBox ? CLOSED : LEAF);
        const placed: PlacedItem = {
            item,
            x,
            y,
            width: size.width,
            height: size.height,
            children: [],
            lines: [],
        };
        items.set(item.key, placed);
        if (!inner) return placed;
        item.children.forEach((child, number) => {
            const at = inner.places[number] ?? { x: 0, y: 0 };
            placed.children.push(place(child, x + at.x, y + at.y));
        });
        item.lines.forEach((line, number) => {
            const route = inner.routes[number] ?? [];
            if (route.length < 2) return;
            placed.lines.push({
                key: `${endKey(item, line.from)}>${endKey(item, line.to)}`,
                box: item,
                line,
                route: route.map((point) => ({ x: x + point.x, y: y + point.y })),
            });
        });
        return placed;
    };

    const root = place(graph.root, 0, 0);
    return { root, items, width: root.width, height: root.height };
}

/** The end of a line as text: the key of a resource, or a gate of the box: `group<` and `group>`. */
export function endKey(box: Item, end: number): string {
    if (end === GATE_IN) return `${box.key}<`;
    if (end === GATE_OUT) return `${box.key}>`;
    return box.children[end]?.key ?? "";
}

export const overlaps = (a: Rect, b: Rect): boolean =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** A path with round corners. */
export function pathOf(route: readonly Point[], radius = 6): string {
    const first = route[0];
    if (!first) return "";
    let text = `M${first.x} ${first.y}`;
    for (let number = 1; number < route.length; number += 1) {
        const [before, at, after] = [route[number - 1], route[number], route[number + 1]];
        if (!before || !at) continue;
        if (!after || radius === 0) {
            text += `L${at.x} ${at.y}`;
            continue;
        }
        const r = Math.min(radius, length(before, at) / 2, length(at, after) / 2);
        const from = towards(at, before, r);
        const to = towards(at, after, r);
        text += `L${from.x} ${from.y}Q${at.x} ${at.y} ${to.x} ${to.y}`;
    }
    return text;
}

const length = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

function towards(from: Point, to: Point, distance: number): Point {
    const all = length(from, to) || 1;
    const x = from.x + ((to.x - from.x) * distance) / all;
    const y = from.y + ((to.y - from.y) * distance) / all;
    return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}
