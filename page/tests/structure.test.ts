import { expect, it } from "vitest";
import { structureOf } from "../src/model/graphStructure";
import { graft } from "../src/model/tree";
import { stackOf, treeOf } from "./trees";

it("a tree has another structure once a stack was put into it, and not before", () => {
    const tree = treeOf({ one: [], group: { holds: { "0": [], "1": [] } } });
    const before = structureOf(tree);
    for (const node of tree.nodes.values()) node.status = "CREATE_FAILED";
    expect(structureOf(tree)).toBe(before);
    expect(graft(tree, stackOf({ "0": [] }, "root-group"))).toBe(true);
    expect(structureOf(tree)).toBeGreaterThan(before);
});
