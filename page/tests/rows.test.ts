import { describe, expect, it } from "vitest";
import type { TreeStack } from "../src/api/types";
import { rowsOf, typesIn } from "../src/model/rows";
import type { RowFilter } from "../src/model/rows";
import { buildTree } from "../src/model/tree";

const none: RowFilter = { text: "", tones: new Set(), type: "" };

function stack(id: string, resources: [string, string, TreeStack?][]): TreeStack {
    return {
        id,
        stack_name: id,
        description: "",
        stack_status: "CREATE_COMPLETE",
        stack_status_reason: "",
        creation_time: "",
        updated_time: null,
        deletion_time: null,
        stack_owner: "",
        parent: null,
        tags: null,
        links: [],
        resources: resources.map(([name, status, inner]) => ({
            resource_name: name,
            logical_resource_id: name,
            physical_resource_id: `id-${name}`,
            resource_type: inner ? "group" : "leaf",
            resource_status: status,
            resource_status_reason: "",
            creation_time: "",
            updated_time: "",
            required_by: [],
            links: [],
            is_external: false,
            is_old: false,
            ...(inner ? { stack: inner } : {}),
        })),
    };
}

const tree = buildTree(
    stack("root", [
        ["a", "CREATE_COMPLETE"],
        [
            "b",
            "CREATE_COMPLETE",
            stack("inner", [
                ["x", "CREATE_FAILED"],
                ["y", "CREATE_COMPLETE"],
            ]),
        ],
    ]),
);
const keys = (filter: RowFilter, isOpen: boolean, failuresFirst = false): string[] =>
    rowsOf(tree.root, { filter, isOpen: () => isOpen, failuresFirst }).map(
        (row) => row.node.key,
    );

describe("the rows of a tree", () => {
    it("are the top alone when all is closed, and everything when all is open", () => {
        expect(keys(none, false)).toEqual(["a", "b"]);
        expect(keys(none, true)).toEqual(["a", "b", "b/x", "b/y"]);
    });

    it("show what a filter lets pass, with what leads to it, though it is closed", () => {
        expect(keys({ ...none, tones: new Set(["failed"]) }, false)).toEqual(["b", "b/x"]);
        expect(keys({ ...none, text: "B/Y" }, false)).toEqual(["b", "b/y"]);
        expect(keys({ ...none, type: "group" }, false)).toEqual(["b"]);
    });

    it("begin with what contains a failure, if that is wanted", () => {
        expect(keys(none, false, true)).toEqual(["b", "a"]);
    });

    it("know the types and how many have them", () => {
        expect(typesIn(tree.root)).toEqual([
            ["group", 1],
            ["leaf", 3],
        ]);
    });
});
