import ELK from "elkjs/lib/elk.bundled.js";
import { describe, expect, it } from "vitest";
import { layersBy } from "../src/layout/elk";
import { drawnOf } from "../src/layout/detail";
import { Planner } from "../src/layout/layout";
import type { Advance } from "../src/layout/layout";
import { endKey, overlaps, sceneOf } from "../src/layout/scene";
import type { PlacedItem, Scene } from "../src/layout/scene";
import { buildGraph } from "../src/model/graph";
import type { Words } from "./trees";
import { SHOP, large, treeOf, various } from "./trees";

const elk = new ELK({ algorithms: ["layered"] });
const planner = (): Planner => new Planner(layersBy((graph) => elk.layout(graph)));
const forever = new AbortController().signal;

async function scene(words: Words, using = planner()): Promise<Scene> {
    const graph = buildGraph(treeOf(words), () => true);
    return sceneOf(graph, await using.layout(graph, forever));
}

function checkBox(box: PlacedItem): void {
    for (const child of box.children) {
        expect(child.x).toBeGreaterThanOrEqual(box.x);
        expect(child.y).toBeGreaterThanOrEqual(box.y);
        expect(child.x + child.width).toBeLessThanOrEqual(box.x + box.width);
        expect(child.y + child.height).toBeLessThanOrEqual(box.y + box.height);
        for (const other of box.children)
            if (other !== child) expect(overlaps(child, other)).toBe(false);
    }
}

/** Where a line ends: at the side of a part, or at that of the box. */
function checkLines(box: PlacedItem, all: Scene): void {
    expect(box.lines.length).toBe(box.item.lines.length);
    for (const { line, route } of box.lines) {
        const first = route[0];
        const last = route[route.length - 1];
        const from = line.from < 0 ? box : all.items.get(endKey(box.item, line.from));
        const to = line.to < 0 ? box : all.items.get(endKey(box.item, line.to));
        expect(first?.x).toBe(line.from < 0 ? from?.x : (from?.x ?? 0) + (from?.width ?? 0));
        expect(last?.x).toBe(line.to < 0 ? (to?.x ?? 0) + (to?.width ?? 0) : to?.x);
    }
}

const MANY: Words = {
    network: [],
    group: {
        requires: ["network"],
        holds: Object.fromEntries(Array.from({ length: 30 }, (_, number) => [`${number}`, []])),
    },
    after: ["group"],
};

describe("the layout", () => {
    it.each([
        ["nesting and groups", SHOP],
        ["a group with many members", MANY],
        ["an old version", { one: [], "one~old": [], two: ["one"] } as Words],
        ["nothing that depends on anything", { a: [], b: [], c: [] } as Words],
    ])("puts parts into their boxes, apart from each other: %s", async (_, words) => {
        const all = await scene(words);
        for (const placed of all.items.values()) {
            if (!placed.item.isOpen) continue;
            checkBox(placed);
            checkLines(placed, all);
        }
    });

    it("has what is required to the left of what requires it", async () => {
        const all = await scene(SHOP);
        const x = (key: string): number => all.items.get(key)?.x ?? NaN;
        expect(x("network")).toBeLessThan(x("database"));
        expect(x("database/disks")).toBeLessThan(x("database/primary"));
        expect(x("web")).toBeLessThan(x("balancer"));
    });

    it("lets a line meet the one that goes on at the gate", async () => {
        const all = await scene(SHOP);
        const lines = [...all.items.values()].flatMap((each) => each.lines);
        const at = (key: string) => lines.find((each) => each.key === key)?.route ?? [];
        const outside = at("network>database");
        const inside = at("database<>database/secret");
        expect(outside[outside.length - 1]).toEqual(inside[0]);
    });

    it("lays boxes of one shape out once", async () => {
        const using = planner();
        await scene(large(40), using);
        expect(using.made).toBe(3);
        await scene(large(40), using);
        expect(using.made).toBe(3);
    });

    it("is there at once where no two boxes are alike", async () => {
        const using = planner();
        const begun = process.cpuUsage();
        const all = await scene(various(300), using);
        const { user, system } = process.cpuUsage(begun);
        expect(using.made).toBeGreaterThan(300);
        // ELK would take more than five seconds.
        expect((user + system) / 1e6).toBeLessThan(3);
        const some = [...all.items.values()].filter(
            ({ item }) => item.isOpen && /[05]$/.test(item.key),
        );
        expect(some.length).toBeGreaterThan(50);
        for (const placed of some) {
            checkBox(placed);
            checkLines(placed, all);
        }
        for (const { item, lines } of some)
            for (const { line } of lines)
                if (line.from >= 0 && line.to >= 0) {
                    const [from, to] = [line.from, line.to].map((end) =>
                        all.items.get(endKey(item, end)),
                    );
                    expect((from?.x ?? 0) + (from?.width ?? 0)).toBeLessThan(to?.x ?? 0);
                }
    });

    it("tells how far it is, and can be ended", async () => {
        const graph = buildGraph(treeOf(various(30)), () => true);
        const told: Advance[] = [];
        const stop = new AbortController();
        const work = planner().layout(graph, stop.signal, (advance) => {
            told.push(advance);
            if (told.length === 3) stop.abort();
        });
        await expect(work).rejects.toThrow();
        expect(told.map(({ done }) => done)).toEqual([0, 1, 2]);
        expect(told[0]?.all).toBe(32);
    });

    it("draws a bounded number of elements, near and far", async () => {
        const all = await scene(large(100));
        const everything = { x: 0, y: 0, width: all.width, height: all.height };
        for (const scale of [0.01, 0.05, 0.2, 1]) {
            const drawn = drawnOf(all, everything, scale);
            expect(drawn.items.length).toBeLessThanOrEqual(240);
            expect(drawn.lines.length).toBeLessThanOrEqual(700);
        }
        const near = drawnOf(all, { x: 0, y: 0, width: 300, height: 300 }, 1);
        expect(near.items.length).toBeLessThan(20);
    });
});
