import { describe, expect, it } from "vitest";
import { Ahead } from "../src/model/ahead";

describe("a tree that is ahead of the events", () => {
    it("takes none for news up to the one that it names", () => {
        const ahead = new Ahead();
        ahead.begin("0");
        ahead.tookWhole("2");
        expect(["1", "2", "3"].map((id) => ahead.isNews(id, "a"))).toEqual([
            false,
            false,
            true,
        ]);
    });

    it("waits for none that has come already", () => {
        const ahead = new Ahead();
        ahead.begin("0");
        ahead.tookWhole("0");
        expect(ahead.isNews("1", "a")).toBe(true);
        ahead.tookWhole("1");
        expect(ahead.isNews("2", "a")).toBe(true);
    });

    it("can be so in a single stack alone", () => {
        const ahead = new Ahead();
        ahead.begin("0");
        ahead.tookParts(["a"], "2");
        expect(ahead.isNews("1", "a")).toBe(false);
        expect(ahead.isNews("1b", "b")).toBe(true);
        expect(ahead.isNews("2", "b")).toBe(true);
        expect(ahead.isNews("3", "a")).toBe(true);
    });

    it("does not know what came after it, though that came before its answer", () => {
        const ahead = new Ahead();
        ahead.begin("0");
        const since = ["1", "2", "3"].map((id) => ({ id }));
        for (const { id } of since) ahead.isNews(id, "a");
        expect(ahead.newer(since, "1")).toEqual([{ id: "2" }, { id: "3" }]);
        expect(ahead.newer(since, "0")).toEqual(since);
        expect(ahead.newer(since, "9")).toEqual([]);
    });
});
