/** Where the arrow keys lead: along lines to the left and right, up and down in the order of the tree. */
import type { PlacedItem, Scene } from "../../layout/scene";
import { shownAfter, shownBefore } from "../../model/graph";
import type { Item } from "../../model/graph";

export type Direction = "left" | "right" | "up" | "down" | "out" | "first";

export function stepFrom(scene: Scene, key: string, direction: Direction): string | null {
    const here = scene.items.get(key);
    if (direction === "first" || !here || here.item.parent === null)
        return scene.root.children[0]?.item.key ?? null;
    const { item } = here;
    switch (direction) {
        case "out":
            return item.parent?.key || null;
        case "left":
            return nearest(scene, here, [...shownBefore(item), ...versions(item, "from")]);
        case "right":
            return nearest(scene, here, [...shownAfter(item), ...versions(item, "to")]);
        case "down":
            return (
                (item.isOpen ? here.children[0] : beside(scene, here, 1))?.item.key ??
                onward(scene, here)
            );
        case "up":
            return (beside(scene, here, -1)?.item.key ?? item.parent?.key) || null;
    }
}

const middle = (placed: PlacedItem): { x: number; y: number } => ({
    x: placed.x + placed.width / 2,
    y: placed.y + placed.height / 2,
});

/** Old versions beside the one that took their place, and that one beside them. */
function versions(item: Item, end: "from" | "to"): Item[] {
    const box = item.parent;
    if (!box) return [];
    const other = end === "from" ? "to" : "from";
    const place = box.children.indexOf(item);
    return box.lines.flatMap((line) => {
        const child = box.children[line[end]];
        return line.kind === "replaced" && line[other] === place && child ? [child] : [];
    });
}

function nearest(scene: Scene, here: PlacedItem, items: readonly Item[]): string | null {
    const from = middle(here);
    let best: string | null = null;
    let least = Infinity;
    for (const item of items) {
        const placed = scene.items.get(item.key);
        if (!placed) continue;
        const to = middle(placed);
        const distance = Math.abs(to.y - from.y) + Math.abs(to.x - from.x) / 4;
        if (distance < least) [best, least] = [item.key, distance];
    }
    return best;
}

/** The one before or after in the same box, in the order of the tree: so each can be reached. */
function beside(scene: Scene, here: PlacedItem, way: 1 | -1): PlacedItem | undefined {
    const siblings = here.item.parent
        ? (scene.items.get(here.item.parent.key)?.children ?? [])
        : [];
    return siblings[siblings.indexOf(here) + way];
}

/** After the last of a box: the one after the box. */
function onward(scene: Scene, here: PlacedItem): string | null {
    for (let item = here.item.parent; item?.parent; item = item.parent) {
        const placed = scene.items.get(item.key);
        const next = placed && beside(scene, placed, 1);
        if (next) return next.item.key;
    }
    return null;
}
