import { describe, expect, it } from "vitest";
import type { StackEvent } from "../src/api/types";
import { Histories, historyKey } from "../src/model/timeline";
import { criticalPath } from "../src/model/timelinePath";
import type { Step } from "../src/model/timelinePath";
import { lanesOf, markCritical, rangeOf, rowsOfLanes } from "../src/model/timelineRows";
import type { Lane } from "../src/model/timelineRows";
import { stepOf, ticksOf } from "../src/model/timelineScale";
import { treeOf } from "./trees";

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const second = (seconds: number): number => BEGIN + seconds * 1000;
let number = 0;

/** `event(3, "root", "server", "CREATE_COMPLETE")`: three seconds after the beginning. */
function event(
    seconds: number,
    stack: string,
    name: string,
    status: string,
    more: Partial<StackEvent> = {},
): StackEvent {
    number += 1;
    return {
        id: `event-${number}`,
        event_time: new Date(second(seconds)).toISOString(),
        resource_name: name,
        logical_resource_id: name,
        resource_status: status,
        resource_status_reason: "state changed",
        physical_resource_id: `${stack}-${name}`,
        resource_type: "OS::Heat::TestResource",
        links: [{ rel: "stack", href: `http://x/v1/p/stacks/${stack}/${stack}` }],
        ...more,
    };
}

const ofStack = (seconds: number, stack: string, status: string): StackEvent =>
    event(seconds, stack, stack, status, {
        physical_resource_id: stack,
        resource_status_reason: status.endsWith("IN_PROGRESS") ? "Stack X started" : "",
    });

function ran(stack: string, name: string, action: string, from: number, to: number) {
    return [
        event(from, stack, name, `${action}_IN_PROGRESS`),
        event(to, stack, name, `${action}_COMPLETE`),
    ];
}

function historiesOf(...events: StackEvent[]): Histories {
    const histories = new Histories("root");
    histories.add(events);
    return histories;
}

const shownLanes = (lanes: readonly Lane[]): string[] =>
    rowsOfLanes(lanes, () => true).map(
        ({ lane, level }) => `${" ".repeat(level - 1)}${lane.name}`,
    );

describe("histories", () => {
    it("pair the begin and the end of an action, and take an event once", () => {
        const events = ran("root", "one", "CREATE", 1, 4);
        const histories = historiesOf(...events, ...events);
        expect(histories.all.get(historyKey("root", "one"))?.spans).toMatchObject([
            { action: "CREATE", begin: second(1), end: second(4), status: "COMPLETE" },
        ]);
    });

    it("tell two versions apart that are worked on at the same time", () => {
        const as = (id: string) => ({ physical_resource_id: id });
        const histories = historiesOf(
            event(1, "root", "one", "DELETE_IN_PROGRESS", as("old")),
            event(2, "root", "one", "DELETE_IN_PROGRESS", as("older")),
            event(3, "root", "one", "DELETE_COMPLETE", as("old")),
        );
        expect(histories.all.get(historyKey("root", "one"))?.spans).toMatchObject([
            { physicalId: "old", end: second(3) },
            { physicalId: "older", end: null },
        ]);
    });

    it("know the end of a nested stack, whose object has another id by then", () => {
        const histories = historiesOf(
            event(1, "root", "web", "CREATE_IN_PROGRESS", { physical_resource_id: "root-web" }),
            event(5, "root", "web", "CREATE_COMPLETE", { physical_resource_id: "id" }),
        );
        expect(histories.all.get(historyKey("root", "web"))?.spans).toHaveLength(1);
    });

    it("keep waiting at a hook and signals apart from actions", () => {
        const says = (words: string) => ({ resource_status_reason: words });
        const histories = historiesOf(
            event(
                1,
                "root",
                "one",
                "INIT_COMPLETE",
                says("CREATE paused until Hook pre-create is cleared"),
            ),
            event(7, "root", "one", "INIT_COMPLETE", says("Hook pre-create is cleared")),
            ...ran("root", "one", "CREATE", 7, 8),
            event(9, "root", "one", "SIGNAL_COMPLETE", says("Signal: done")),
        );
        expect(histories.all.get(historyKey("root", "one"))).toMatchObject({
            spans: [{ action: "CREATE" }],
            waits: [{ hook: "pre-create", begin: second(1), end: second(7) }],
            marks: [{ time: second(9), words: "Signal: done" }],
        });
    });

    it("list the operations of the stack; one that is overtaken has ended", () => {
        const histories = historiesOf(
            ofStack(0, "root", "CREATE_IN_PROGRESS"),
            ofStack(5, "root", "CREATE_COMPLETE"),
            ofStack(10, "root", "UPDATE_IN_PROGRESS"),
            event(12, "root", "root", "UPDATE_IN_PROGRESS", {
                physical_resource_id: "root",
                resource_status_reason: "old ones are being removed",
            }),
            ofStack(15, "root", "UPDATE_IN_PROGRESS"),
        );
        expect(
            histories.operations.map(({ action, begin, end }) => [action, begin, end]),
        ).toEqual([
            ["CREATE", second(0), second(5)],
            ["UPDATE", second(10), second(15)],
            ["UPDATE", second(15), null],
        ]);
        expect(rangeOf(histories, histories.operations[2], second(20))).toEqual({
            begin: second(15),
            end: second(20),
        });
    });
});

describe("lanes", () => {
    const tree = treeOf({
        late: [],
        early: [],
        group: { holds: { "0": [], "1": [] } },
        still: [],
    });

    it("stand by nesting, those that began first above, without what did nothing", () => {
        const histories = historiesOf(
            ofStack(0, "root", "CREATE_IN_PROGRESS"),
            ...ran("root", "early", "CREATE", 0, 1),
            event(1, "root", "group", "CREATE_IN_PROGRESS"),
            ...ran("root-group", "1", "CREATE", 1, 2),
            ...ran("root-group", "0", "CREATE", 2, 3),
            ...ran("root", "late", "CREATE", 5, 6),
        );
        expect(shownLanes(lanesOf(tree, histories, undefined, second(9)))).toEqual([
            "early",
            "group",
            " 1",
            " 0",
            "late",
        ]);
    });

    it("belong to the operation in which they were, also within one second", () => {
        const histories = historiesOf(
            ofStack(0, "root", "CREATE_IN_PROGRESS"),
            ...ran("root", "early", "CREATE", 0, 1),
            ofStack(1, "root", "CREATE_COMPLETE"),
            ofStack(1, "root", "UPDATE_IN_PROGRESS"),
            ...ran("root", "late", "CREATE", 1, 1),
        );
        const [creation, update] = histories.operations;
        const shown = (operation: typeof update): string[] =>
            shownLanes(lanesOf(tree, histories, operation, second(9)));
        expect([shown(creation), shown(update)]).toEqual([["early"], ["late"]]);
    });

    it("have what the tree no longer has, inside the nested stack that has gone", () => {
        const histories = historiesOf(
            ofStack(0, "root", "UPDATE_IN_PROGRESS"),
            event(0, "root", "removed", "DELETE_IN_PROGRESS", { physical_resource_id: "gone" }),
            ...ran("gone", "server", "DELETE", 0, 2),
            event(3, "root", "removed", "DELETE_COMPLETE", { physical_resource_id: "gone" }),
        );
        const lanes = lanesOf(tree, histories, undefined, second(9));
        expect(shownLanes(lanes)).toEqual(["removed", " server"]);
        expect(lanes[0]?.children[0]?.path).toEqual(["removed", "server"]);
    });
});

describe("the critical path", () => {
    const step = (id: string, begin: number, end: number, isDeletion = false): Step => ({
        id,
        begin: second(begin),
        end: second(end),
        isDeletion,
        first: begin,
        last: end,
    });
    const needs: Record<string, string[]> = { b: ["a"], c: ["a"], d: ["b", "c"] };
    const requirements = {
        before: (id: string) => needs[id] ?? [],
        after: (id: string) => Object.keys(needs).filter((each) => needs[each]?.includes(id)),
    };
    const ids = (steps: readonly Step[]): string[] => steps.map(({ id }) => id);

    it("goes back from what ended last to what it waited for longest", () => {
        const steps = [step("a", 0, 5), step("b", 5, 8), step("c", 5, 20), step("d", 20, 22)];
        expect(ids(criticalPath(steps, requirements))).toEqual(["a", "c", "d"]);
    });

    it("does not name what ended long after the next one began", () => {
        const steps = [step("a", 0, 5), step("b", 5, 8), step("c", 5, 30), step("d", 8, 40)];
        expect(ids(criticalPath(steps, requirements))).toEqual(["a", "b", "d"]);
    });

    it("takes the later of two that ended in the same second", () => {
        const steps = [
            { ...step("d", 3, 3), first: 7, last: 8 },
            { ...step("b", 2, 3), first: 4, last: 6 },
            { ...step("a", 0, 2), first: 1, last: 3 },
        ];
        expect(ids(criticalPath(steps, requirements))).toEqual(["a", "b", "d"]);
    });

    it("is one step where nothing depends on anything, and none where nothing happened", () => {
        expect(ids(criticalPath([step("x", 0, 3), step("y", 0, 9)], requirements))).toEqual([
            "y",
        ]);
        expect(criticalPath([], requirements)).toEqual([]);
    });

    it("runs the other way in a deletion", () => {
        const steps = [
            step("d", 0, 4, true),
            step("c", 4, 5, true),
            step("b", 4, 9, true),
            step("a", 9, 12, true),
        ];
        expect(ids(criticalPath(steps, requirements))).toEqual(["d", "b", "a"]);
    });

    it("leads through nesting to leaves, and marks the boxes around them", () => {
        const tree = treeOf({
            network: [],
            web: { requires: ["network"], holds: { fast: [], slow: [] } },
            balancer: ["web"],
        });
        const histories = historiesOf(
            ofStack(0, "root", "CREATE_IN_PROGRESS"),
            ...ran("root", "network", "CREATE", 0, 3),
            event(3, "root", "web", "CREATE_IN_PROGRESS"),
            ...ran("root-web", "fast", "CREATE", 3, 4),
            ...ran("root-web", "slow", "CREATE", 3, 9),
            event(9, "root", "web", "CREATE_COMPLETE"),
            ...ran("root", "balancer", "CREATE", 9, 10),
        );
        const lanes = lanesOf(tree, histories, undefined, second(10));
        const path = markCritical(tree, lanes, second(10));
        expect(path.lanes.map((lane) => lane.key)).toEqual(["network", "web/slow", "balancer"]);
        expect(path.taken).toBe(10_000);
        expect(rowsOfLanes(lanes, () => true, true).map(({ lane }) => lane.key)).toEqual([
            "network",
            "web",
            "web/slow",
            "balancer",
        ]);
    });
});

describe("the axis", () => {
    it("has marks at round times, far enough apart", () => {
        expect(stepOf(60_000, 600)).toBe(10_000);
        expect(ticksOf(180_000, 300).map(({ words }) => words)).toEqual([
            "0 s",
            "1 min",
            "2 min",
            "3 min",
        ]);
    });
});
