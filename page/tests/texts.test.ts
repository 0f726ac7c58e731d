import { describe, expect, it } from "vitest";
import { MessageReader } from "../src/api/events";
import { hashOf, parseRoute } from "../src/model/address";
import { toneOf } from "../src/model/status";
import { span } from "../src/model/times";
import { yamlOf } from "../src/model/yaml";

describe("server-sent events", () => {
    it("come whole, wherever the pieces are cut", () => {
        const text = ": hello\n\nid: 1\nevent: stack\ndata: {}\n\nid: 2\ndata: a\ndata: b\n\n";
        for (let cut = 0; cut < text.length; cut += 1) {
            const reader = new MessageReader();
            const found = [...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut))];
            expect(found).toEqual([
                { id: "1", event: "stack", data: "{}" },
                { id: "2", event: "", data: "a\nb" },
            ]);
        }
    });
});

describe("addresses", () => {
    it("say where the page is, and come back the same", () => {
        const hash = "#/my%20project/stacks/na%2Fme/id/tree?r=web%2F0&q=a+b";
        const route = parseRoute(hash);
        expect(route).toEqual({
            project: "my project",
            section: "stacks",
            rest: ["na/me", "id", "tree"],
            query: { r: "web/0", q: "a b" },
        });
        expect(hashOf(route)).toBe(hash);
    });
});

describe("words", () => {
    it("have a tone for every status", () => {
        expect(toneOf("CREATE_IN_PROGRESS")).toBe("running");
        expect(toneOf("INIT_COMPLETE")).toBe("idle");
        expect(toneOf("INIT_COMPLETE", "pre-create")).toBe("waiting");
        expect(toneOf("DELETE_COMPLETE")).toBe("idle");
        expect(toneOf("CHECK_FAILED")).toBe("failed");
    });

    it("tell spans shortly", () => {
        expect([0, 59_000, 200_000, 3_600_000, 90_000_000].map(span)).toEqual([
            "0 s",
            "59 s",
            "3 min 20 s",
            "1 h",
            "1 d 1 h",
        ]);
    });
});

describe("YAML for reading", () => {
    it("has blocks for maps, lists and long texts, and quotes what would be read otherwise", () => {
        expect(
            yamlOf({ a: { b: ["x", { c: 1, d: [] }] }, t: "one\ntwo\n", yes: "true", e: {} }),
        ).toBe(
            'a:\n  b:\n    - x\n    - c: 1\n      d: []\nt: |\n  one\n  two\n"yes": "true"\ne: {}\n',
        );
    });
});
