import { describe, expect, it } from "vitest";
import {
    countsOf,
    countsText,
    differencesOf,
    foldedSteps,
    planOfCreation,
    planOfUpdate,
    rootsOf,
} from "../src/model/plan";
import type { PlannedResource, Source } from "../src/model/plan";

const resource = (path: string, more: Partial<PlannedResource> = {}): PlannedResource => ({
    resource_name: path.split("/").pop() ?? "",
    resource_type: "T",
    path: path.split("/"),
    ...more,
});

describe("a plan", () => {
    it("has every resource with its step, in the order in which people count", () => {
        const steps = planOfUpdate({
            resource_changes: {
                added: [resource("group/10"), resource("group/2")],
                replaced: [resource("server", { reason: "why not" })],
                updated: [resource("held", { is_refused: true })],
                unchanged: [resource("net")],
            },
        });
        expect(steps.map((each) => `${each.step} ${each.path.join(".")}`)).toEqual([
            "create group.2",
            "create group.10",
            "refuse held",
            "leave net",
            "replace server",
        ]);
        expect(countsText(countsOf(steps))).toBe(
            "2 to create, 1 to replace, 1 refused, 1 unchanged",
        );
    });

    it("of a new stack lists what is inside nested stacks below them", () => {
        const steps = planOfCreation({
            stack: {
                resources: [[resource("inner/word"), [resource("inner/deep/leaf")]]],
                nested_stacks: [resource("inner"), resource("inner/deep")],
            },
        });
        expect(steps.map((each) => each.path.join("."))).toEqual([
            "inner",
            "inner.deep",
            "inner.deep.leaf",
            "inner.word",
        ]);
    });

    it("shows members to which the same happens once, and others by themselves", () => {
        const group = resource("group", { resource_type: "OS::Heat::ResourceGroup" });
        const members = [0, 1, 2, 3, 7].map((index) => resource(`group/${index}`));
        const odd = resource("group/5", { reason: "another" });
        const steps = planOfUpdate({
            resource_changes: { updated: [group], added: [...members, odd] },
        });
        const shown = foldedSteps(steps).map((each) => `${each.path.join(".")} x${each.count}`);
        expect(shown).toEqual(["group x1", "group.0-3,7 x5", "group.5 x1"]);
        expect(foldedSteps(steps, true)).toHaveLength(7);
    });
});

describe("a change", () => {
    it("of a map is told level by level", () => {
        expect(differencesOf("tags", { a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } })).toEqual([
            { name: "tags.b.c", old: "2", new: "3" },
        ]);
        expect(differencesOf("size", null, 4)).toEqual([
            { name: "size", old: "nothing", new: "4" },
        ]);
    });

    it("comes from where it was decided, else from the outermost template", () => {
        const source = (kind: string, file: string): Source => ({
            kind,
            name: "size",
            file,
            line: 3,
            path: "",
        });
        const inner = source("template", "inner.yaml");
        const outer = source("template", "app.yaml");
        expect(rootsOf([inner, outer, source("environment", "env.yaml")])).toEqual([
            "size in env.yaml:3",
        ]);
        expect(rootsOf([inner, outer])).toEqual(["app.yaml:3"]);
    });
});
