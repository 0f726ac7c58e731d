import { describe, expect, it } from "vitest";
import { faultOf, formOf, valuesToSend } from "../src/model/parameters";
import type { ParameterField, ParameterSchema } from "../src/model/parameters";

const schema = (more: Partial<ParameterSchema> = {}): ParameterSchema => ({
    Type: "String",
    Description: "",
    NoEcho: "false",
    Label: "",
    ...more,
});

function field(more: Partial<ParameterSchema>, current?: string): ParameterField {
    const stack = current === undefined ? {} : { p: current };
    const found = formOf({ Description: "", Parameters: { p: schema(more) } }, stack);
    const first = found[0]?.fields[0];
    if (!first) throw new Error("there is no field");
    return first;
}

describe("the form", () => {
    it("has the groups of the template, and what is in none of them last", () => {
        const form = formOf({
            Description: "",
            Parameters: { a: schema(), b: schema(), c: schema() },
            ParameterGroups: [{ label: "One", description: "", parameters: ["b", "gone"] }],
        });
        expect(
            form.map((group) => [group.label, group.fields.map((each) => each.name)]),
        ).toEqual([
            ["One", ["b"]],
            ["Other parameters", ["a", "c"]],
        ]);
    });

    it("knows who says what a value is if nothing is written", () => {
        expect(field({}).isRequired).toBe(true);
        expect(field({ Default: 4 })).toMatchObject({ fallback: "4", fallbackFrom: "default" });
        expect(field({ Default: 4, Value: [1, 2] })).toMatchObject({
            fallback: "1,2",
            fallbackFrom: "environment",
        });
        expect(field({ Default: 4 }, "5")).toMatchObject({
            fallback: "5",
            fallbackFrom: "stack",
        });
    });

    it("hides what is hidden, and chooses from what is allowed", () => {
        expect(field({ NoEcho: "true" }).control).toBe("password");
        expect(field({ AllowedValues: ["a", "b"] })).toMatchObject({
            control: "choice",
            choices: ["a", "b"],
        });
        expect(field({ Type: "Boolean" }).control).toBe("flag");
        expect(field({ Type: "Json" }).control).toBe("lines");
    });

    it("says constraints in words, or in those of the template", () => {
        expect(field({ MinLength: 2, MaxLength: 5 }).constraints).toEqual([
            "2 to 5 characters",
        ]);
        expect(field({ Type: "Number", MinValue: 1 }).constraints).toEqual(["at least 1"]);
        expect(field({ MinLength: 2, ConstraintDescription: "short" }).constraints).toEqual([
            "short",
        ]);
    });
});

describe("a value", () => {
    it("is refused before it is sent if it cannot be right", () => {
        expect(faultOf(field({}), "")).toBe("A value is needed.");
        expect(faultOf(field({ Default: "x" }), "")).toBe("");
        expect(faultOf(field({ Type: "Number", MaxValue: 3 }), "4")).toBe("Wanted: at most 3.");
        expect(faultOf(field({ Type: "Number" }), "four")).toBe("This is not a number.");
        expect(faultOf(field({ Type: "Json" }), "{")).toContain("This is not JSON");
        expect(faultOf(field({ MinLength: 3 }), "ab")).toBe("Wanted: at least 3 characters.");
    });

    it("is sent only if the user gave one for a parameter of the template", () => {
        const form = formOf({ Description: "", Parameters: { a: schema(), b: schema() } });
        expect(valuesToSend(form, { a: "1", b: "", gone: "2" })).toEqual({ a: "1" });
    });
});

it("a stack's own value can be cleared where something else would count", () => {
    const below = (more: Partial<ParameterSchema>, current?: string) =>
        field(more, current).below;
    expect(below({ Default: "a" }, "b")).toEqual({ value: "a", from: "default" });
    expect(below({ Default: "a", Value: "c" }, "b")).toMatchObject({ from: "environment" });
    expect(below({ Default: "a" }, "a")).toBe(null);
    expect(below({ Default: "a", NoEcho: "true" }, "******")).not.toBe(null);
    expect(below({}, "b")).toBe(null);
    expect(below({ Default: "a" })).toBe(null);
});
