import { describe, expect, it } from "vitest";
import type { StackEvent, TreeStack } from "../src/api/types";
import { applyEvent, buildTree, everyResource, graft, rollUps } from "../src/model/tree";

const summary = (id: string): Omit<TreeStack, "resources"> => ({
    id,
    stack_name: id,
    description: "",
    stack_status: "CREATE_IN_PROGRESS",
    stack_status_reason: "",
    creation_time: "2026-01-01T00:00:00Z",
    updated_time: null,
    deletion_time: null,
    stack_owner: "me",
    parent: null,
    tags: null,
    links: [],
});

const resource = (name: string, status: string, stack?: TreeStack, isOld = false) => ({
    resource_name: name,
    logical_resource_id: name,
    physical_resource_id: isOld ? "old" : "",
    resource_type: "OS::Heat::None",
    resource_status: status,
    resource_status_reason: "",
    creation_time: "2026-01-01T00:00:00Z",
    updated_time: "2026-01-01T00:00:00Z",
    required_by: [],
    links: [],
    is_external: false,
    is_old: isOld,
    ...(stack ? { stack } : {}),
});

const event = (stack: string, name: string, status: string, physical = ""): StackEvent => ({
    id: "1",
    event_time: "2026-01-01T00:00:01Z",
    resource_name: name,
    logical_resource_id: name,
    resource_status: status,
    resource_status_reason: "because",
    physical_resource_id: physical,
    links: [{ rel: "stack", href: `http://x/v1/p/stacks/${stack}/${stack}` }],
});

const sample = () =>
    buildTree({
        ...summary("root"),
        resources: [
            resource("one", "CREATE_COMPLETE"),
            resource("group", "CREATE_IN_PROGRESS", {
                ...summary("inner"),
                resources: [
                    resource("0", "CREATE_IN_PROGRESS"),
                    resource("1", "CREATE_FAILED"),
                ],
            }),
        ],
    });

describe("the tree", () => {
    it("has every resource by its path", () => {
        expect([...everyResource(sample().root)].map((node) => node.key)).toEqual([
            "one",
            "group",
            "group/0",
            "group/1",
        ]);
    });

    it("counts leaves through all nesting", () => {
        expect(rollUps(sample()).get("root")).toEqual({
            done: 1,
            running: 1,
            failed: 1,
            waiting: 0,
            idle: 0,
            total: 3,
        });
    });

    it("takes an event of a resource in a nested stack", () => {
        const tree = sample();
        expect(applyEvent(tree, event("inner", "0", "CREATE_COMPLETE", "id"))).toBe("changed");
        expect(tree.nodes.get("group/0")).toMatchObject({
            status: "CREATE_COMPLETE",
            physicalId: "id",
        });
    });

    it("says that it must be asked for when an event names what it does not know", () => {
        expect(applyEvent(sample(), event("other", "0", "CREATE_COMPLETE"))).toBe("structure");
        expect(applyEvent(sample(), event("inner", "2", "CREATE_COMPLETE"))).toBe("structure");
    });

    it("takes a nested stack into its place, and again when it has changed", () => {
        const tree = sample();
        const nested = (...names: string[]): TreeStack => ({
            ...summary("deep"),
            parent: "inner",
            resources: names.map((name) => ({
                ...resource(name, "INIT_COMPLETE"),
                parent_resource: "0",
            })),
        });
        expect(graft(tree, nested("a", "b"))).toBe(true);
        expect(tree.nodes.get("group/0/b")?.stack.owner?.key).toBe("group/0");
        expect(graft(tree, nested("a"))).toBe(true);
        expect(tree.nodes.has("group/0/b")).toBe(false);
        expect(graft(tree, { ...nested("a"), id: "lost", parent: "unknown" })).toBe(false);
    });

    it("takes the name that something has until it exists for no other version", () => {
        const tree = sample();
        applyEvent(tree, event("inner", "0", "CREATE_IN_PROGRESS", "stack-0-name"));
        expect(applyEvent(tree, event("inner", "0", "CREATE_COMPLETE", "id"))).toBe("changed");
        expect(tree.nodes.get("group/0")).toMatchObject({ physicalId: "id" });
    });

    it("knows a replacement by what is created though it exists", () => {
        const tree = sample();
        applyEvent(tree, event("inner", "0", "CREATE_COMPLETE", "id"));
        const created = event("inner", "0", "CREATE_IN_PROGRESS", "stack-0-name");
        expect(applyEvent(tree, created)).toBe("structure");
    });
});
