import { describe, expect, it } from "vitest";
import type { TaskDefinition, TaskRun } from "../src/api/workflows";
import { graphOf } from "../src/model/workflow";

const task = (name: string, ...next: string[]): TaskDefinition => ({
    name,
    type: "ACTION",
    call: "std.noop",
    join: null,
    requires: [],
    next: next.map((to) => ({ name: to, event: "on-success", guard: "" })),
});

const run = (name: string, after: string[] = [], id = name): TaskRun => ({
    id,
    name,
    type: "ACTION",
    state: "SUCCESS",
    state_info: null,
    runtime_context: JSON.stringify({
        triggered_by: after.map((each) => ({ task_id: each, event: "on-success" })),
    }),
    published: "{}",
    created_at: "2030-01-01 00:00:00",
    started_at: null,
    finished_at: null,
});

describe("the graph of an execution", () => {
    it("has every task below those that lead to it, also those that have not run", () => {
        const tasks = [task("d"), task("a", "b", "c"), task("b", "d"), task("c", "d")];
        const graph = graphOf({ is_reverse: false, tasks }, [run("a"), run("b", ["a"])]);
        expect(graph.nodes.map((node) => [node.name, node.layer, !!node.run])).toEqual([
            ["d", 2, false],
            ["a", 0, true],
            ["b", 1, true],
            ["c", 1, false],
        ]);
        const taken = graph.edges.filter((edge) => edge.isTaken);
        expect(taken.map((edge) => `${edge.from} ${edge.to}`)).toEqual(["a b"]);
        expect(graph.widest).toBe(2);
    });

    it("marks what leads back, and counts how often a task has run", () => {
        const tasks = [task("try", "look"), task("look", "try", "end"), task("end", "fail")];
        const runs = [run("try"), run("look", ["try"]), run("try", ["look"], "try-2")];
        const graph = graphOf({ is_reverse: false, tasks }, runs);
        expect(graph.edges.filter((edge) => edge.isBack).map((edge) => edge.from)).toEqual([
            "look",
        ]);
        expect(graph.nodes[0]).toMatchObject({ count: 2, run: { id: "try-2" } });
        expect(graph.layers).toBe(3);
    });

    it("of a reverse workflow goes from what is required to what requires it", () => {
        const tasks = [{ ...task("all"), requires: ["one"] }, task("one")];
        const graph = graphOf({ is_reverse: true, tasks }, []);
        expect(graph.nodes.map((node) => [node.name, node.layer])).toEqual([
            ["all", 1],
            ["one", 0],
        ]);
    });
});
