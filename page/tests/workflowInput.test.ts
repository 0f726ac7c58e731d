import { describe, expect, it } from "vitest";
import { inputsOf, inputToSend, textOfInput, valueOf } from "../src/model/workflowInput";
import { timeText } from "../src/model/workflow";

describe("the inputs of a workflow", () => {
    const written = JSON.stringify({ input: ["name", { count: 2 }, { word: "5", list: [] }] });

    it("are asked for in their order, with defaults as users write them", () => {
        expect(inputsOf(written)).toEqual([
            { name: "name", isRequired: true, fallback: "" },
            { name: "count", isRequired: false, fallback: "2" },
            { name: "word", isRequired: false, fallback: '"5"' },
            { name: "list", isRequired: false, fallback: "[]" },
        ]);
        expect(inputsOf({ input: ["a"] })).toHaveLength(1);
        expect(inputsOf("")).toEqual([]);
    });

    it("are sent as JSON where they are JSON, else as texts, and not at all if left empty", () => {
        const values = { name: "ann", count: "3", word: '"7"', list: "", other: "x" };
        expect(inputToSend(inputsOf(written), values)).toEqual({
            name: "ann",
            count: 3,
            word: "7",
        });
    });

    it.each([1, "1", "a b", "", null, true, "true", [1, "2"], { a: 1 }, '"', "{"])(
        "of %j reads the same after it was written",
        (value) => expect(valueOf(textOfInput(value))).toEqual(value),
    );
});

it("times of both APIs are understood", () => {
    expect(timeText("2026-01-02 03:04:05")).toBe("2026-01-02T03:04:05Z");
    expect(timeText("2026-01-02T03:04:05Z")).toBe("2026-01-02T03:04:05Z");
    expect(timeText(null)).toBe(null);
});
