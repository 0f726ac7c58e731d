import { describe, expect, it } from "vitest";
import { buildGraph, shownAfter, shownBefore } from "../src/model/graph";
import type { Graph, Item } from "../src/model/graph";
import { Leaves } from "../src/model/graphLeaves";
import { choiceOf, openKeys, queryOf, turned } from "../src/model/graphOpen";
import { everyResource } from "../src/model/tree";
import type { Tree } from "../src/model/tree";
import { SHOP, large, treeOf } from "./trees";

const all = (tree: Tree): Graph => buildGraph(tree, () => true);
const none = choiceOf({});

/** What the lines of the picture say, from leaf to leaf through the gates. */
function drawnPairs(graph: Graph): string[] {
    const shown = [...graph.items.values()].filter((item) => !item.isOpen);
    return shown
        .flatMap((item) => shownAfter(item).map((after) => `${item.key} > ${after.key}`))
        .sort();
}

const item = (graph: Graph, key: string): Item => {
    const found = graph.items.get(key);
    if (!found) throw new Error(`no ${key}`);
    return found;
};

describe("the topology", () => {
    it("has every resource when all boxes are open", () => {
        const tree = treeOf(SHOP);
        expect([...all(tree).items.keys()].sort()).toEqual([...tree.nodes.keys()].sort());
    });

    it("leads lines through open boxes to the real leaves", () => {
        expect(drawnPairs(all(treeOf(SHOP)))).toEqual([
            "database/disks/0 > database/primary",
            "database/disks/1 > database/primary",
            "database/primary > web/0/port",
            "database/primary > web/1/port",
            "database/secret > database/primary",
            "network > database/disks/0",
            "network > database/disks/1",
            "network > database/secret",
            "web/0/port > web/0/server",
            "web/0/server > balancer",
            "web/1/port > web/1/server",
            "web/1/server > balancer",
        ]);
    });

    it("ends lines at boxes that are closed", () => {
        const closed = buildGraph(treeOf(SHOP), (key) => key === "web");
        expect(drawnPairs(closed)).toEqual([
            "database > web/0",
            "database > web/1",
            "network > database",
            "web/0 > balancer",
            "web/1 > balancer",
        ]);
        expect(closed.items.has("database/primary")).toBe(false);
    });

    it("says of leaves what the picture shows when all is open", () => {
        const tree = treeOf(SHOP);
        const leaves = new Leaves();
        const pairs: string[] = [];
        for (const node of everyResource(tree.root))
            if (!node.child)
                for (const after of leaves.after(node)) {
                    pairs.push(`${node.key} > ${after.key}`);
                    expect(leaves.before(after)).toContain(node);
                }
        expect(pairs.sort()).toEqual(drawnPairs(all(tree)));
    });

    it("has as many lines as resources and requirements, not as pairs of leaves", () => {
        const graph = all(treeOf(large(50)));
        const lines = [graph.root, ...graph.items.values()].reduce(
            (sum, each) => sum + each.lines.length,
            0,
        );
        expect(lines).toBeLessThan(3 * graph.items.size);
    });

    it("puts an old version before the one that took its place, and gives it no other line", () => {
        const graph = all(treeOf({ one: [], "one~old": [], two: ["one"] }));
        expect(graph.root.lines).toEqual([
            { from: 0, to: 2, kind: "requires" },
            { from: 1, to: 0, kind: "replaced" },
        ]);
        expect(item(graph, "one~one~old").isReplaced).toBe(true);
    });

    it("lets an old version stand for its name where no other is", () => {
        const graph = all(treeOf({ "one~old": [], two: ["one"] }));
        expect(graph.root.lines).toEqual([{ from: 0, to: 1, kind: "requires" }]);
    });

    it("treats a group without members as a leaf", () => {
        const graph = all(
            treeOf({ a: [], group: { requires: ["a"], holds: {} }, b: ["group"] }),
        );
        expect(item(graph, "group").isBox).toBe(false);
        expect(drawnPairs(graph)).toEqual(["a > group", "group > b"]);
    });

    it("finds what is required for an item, backwards through the gates", () => {
        const graph = all(treeOf(SHOP));
        expect(shownBefore(item(graph, "database/primary")).map((each) => each.key)).toEqual([
            "database/secret",
            "database/disks/0",
            "database/disks/1",
        ]);
        expect(shownBefore(item(graph, "network"))).toEqual([]);
    });
});

describe("open boxes", () => {
    it("are all boxes of a small stack", () => {
        expect(openKeys(treeOf(SHOP), none)).toEqual(
            new Set(["database", "web", "database/disks", "web/0", "web/1"]),
        );
    });

    it("begin closed from the level on that shows too much", () => {
        expect(openKeys(treeOf(large(100)), none)).toEqual(new Set(["servers"]));
        expect(openKeys(treeOf(large(500)), none)).toEqual(new Set());
        expect(openKeys(treeOf(large(500)), choiceOf({ boxes: "all" })).size).toBe(501);
    });

    it("are chosen in the address, and what is around one that is opened opens too", () => {
        const tree = treeOf(large(500));
        const choice = turned(none, tree, "servers/7", true);
        expect(openKeys(tree, choice)).toEqual(new Set(["servers", "servers/7"]));
        expect(choiceOf(queryOf(choice))).toEqual(choice);
        const closed = turned(choice, tree, "servers", false);
        expect(openKeys(tree, closed).has("servers")).toBe(false);
    });

    it("keep names with commas apart in the address", () => {
        const choice = turned(none, treeOf(SHOP), "a,b%2C", true);
        expect(choiceOf(queryOf(choice)).opened).toEqual(new Set(["a,b%2C"]));
    });
});
