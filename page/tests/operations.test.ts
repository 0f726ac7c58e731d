import { describe, expect, it } from "vitest";
import { countOfGoing, deletionText, groupsOf, mustBeTyped } from "../src/model/deletion";
import type { DeletionStep, PlannedDeletion } from "../src/model/deletion";
import { refusalOf } from "../src/views/operations/refusals";

const planned = (path: string, step: DeletionStep): PlannedDeletion => ({
    path: path.split("/"),
    resource_type: "T",
    physical_resource_id: null,
    step,
    reason: "",
    after: [],
});

describe("a deletion", () => {
    it("is grouped by what becomes of each resource, by nesting", () => {
        const all = [
            planned("group/10", "deleted"),
            planned("group/2", "deleted"),
            planned("disk", "kept"),
            planned("group", "deleted"),
        ];
        expect(
            groupsOf(all).map((group) => [
                group.title,
                group.resources.map((each) => each.path.join(".")),
            ]),
        ).toEqual([
            ["Deleted", ["group", "group.2", "group.10"]],
            ["Kept by policy", ["disk"]],
        ]);
        expect(deletionText(all)).toBe("3 deleted, 1 kept by policy");
        expect(countOfGoing(all)).toBe(3);
    });

    it("is typed if it is large, or if something is protected", () => {
        const many = Array.from({ length: 21 }, (_, index) => planned(`${index}`, "deleted"));
        expect(mustBeTyped(many)).toBe(true);
        expect(mustBeTyped(many.slice(1))).toBe(false);
        expect(mustBeTyped([planned("a", "waiting")])).toBe(true);
    });
});

describe("an operation", () => {
    it.each([
        ["retry", "UPDATE_FAILED", ""],
        ["retry", "CREATE_COMPLETE", "it has not failed; update it instead"],
        ["cancel", "CREATE_IN_PROGRESS", ""],
        ["cancel", "DELETE_IN_PROGRESS", "no update or creation is going on"],
        ["update", "UPDATE_IN_PROGRESS", ""],
        ["update", "DELETE_FAILED", "it is being deleted; delete it again"],
        ["update", "SUSPEND_COMPLETE", "resume it first"],
        ["resume", "SUSPEND_COMPLETE", ""],
        ["resume", "CREATE_COMPLETE", "it is not suspended"],
        ["suspend", "SUSPEND_FAILED", ""],
        ["snapshot", "UPDATE_FAILED", "it has failed; update it, or retry"],
        ["check", "UPDATE_IN_PROGRESS", "UPDATE is in progress"],
        ["delete", "DELETE_FAILED", ""],
        ["delete", "DELETE_COMPLETE", "it has been deleted"],
    ] as const)("%s of a stack that is %s: %s", (operation, status, refusal) => {
        expect(refusalOf(operation, status)).toBe(refusal);
    });
});
