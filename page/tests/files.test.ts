import { describe, expect, it } from "vitest";
import {
    isIgnored,
    overlaid,
    shownNames,
    stackNameOf,
    textOfBytes,
    withoutStars,
} from "../src/model/files";
import type { LooseFile } from "../src/model/files";

const file = (name: string, text = "", from: "stack" | "user" = "user"): LooseFile => ({
    name,
    text,
    from,
});

describe("dropped files", () => {
    it("take the place of the same file, whatever folder the stack had it from", () => {
        const had = [
            file("file:///srv/app.yaml", "old", "stack"),
            file("file:///srv/a/env.yaml", "a", "stack"),
            file("file:///srv/b/env.yaml", "b", "stack"),
        ];
        const now = overlaid(had, [file("app.yaml", "new"), file("b/env.yaml", "c")]);
        expect(now.map((each) => `${each.name} ${each.text} ${each.from}`)).toEqual([
            "file:///srv/app.yaml new user",
            "file:///srv/a/env.yaml a stack",
            "file:///srv/b/env.yaml c user",
        ]);
    });

    it("are others if the name fits two", () => {
        const had = [file("a/env.yaml", "", "stack"), file("b/env.yaml", "", "stack")];
        expect(overlaid(had, [file("env.yaml")])).toHaveLength(3);
    });

    it("do not take the place of other dropped files with the same last name", () => {
        expect(overlaid([file("a/x.sh")], [file("x.sh")])).toHaveLength(2);
    });

    it("are shown without the folder that all have in common", () => {
        expect([
            ...shownNames(["file:///srv/app.yaml", "file:///srv/n/x.yaml"]).values(),
        ]).toEqual(["app.yaml", "n/x.yaml"]);
    });

    it("that are no text are sent in base64", () => {
        expect(textOfBytes(new TextEncoder().encode("grün"))).toBe("grün");
        expect(textOfBytes(new Uint8Array([255, 0, 1]))).toBe("/wAB\n");
    });

    it("of tools are left out", () => {
        expect(isIgnored("app/.git/config")).toBe(true);
        expect(isIgnored("app/digit.yaml")).toBe(false);
    });
});

describe("an environment with hidden values", () => {
    it("is read without the stars that stand for them", () => {
        const text = '{"parameters":{"secret":"******","size":3},"event_sinks":[]}';
        expect(withoutStars(text)).toBe('{"parameters":{"size":3},"event_sinks":[]}');
        expect(withoutStars("parameters: {secret: '******'}")).toContain("******");
    });
});

describe("the name of a stack", () => {
    it("is that of its template", () => {
        expect(stackNameOf("folder/my app.yaml")).toBe("my-app");
        expect(stackNameOf("1.yaml")).toBe("stack-1");
    });
});
