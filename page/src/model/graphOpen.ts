/** Which boxes of the topology are open: by the size of the stack, and by what the user has chosen. */
import { isBox } from "./graph";
import type { ResourceNode, StackNode, Tree } from "./tree";

/** As many resources are shown at first; levels of nesting beyond that begin closed. */
export const SHOWN_AT_FIRST = 150;

/** What the address says: all, none, or by size where it says nothing; and the exceptions. */
export interface Choice {
    base: "" | "all" | "none";
    opened: ReadonlySet<string>;
    closed: ReadonlySet<string>;
}

export function choiceOf(query: Readonly<Record<string, string>>): Choice {
    const base = query["boxes"];
    return {
        base: base === "all" || base === "none" ? base : "",
        opened: keysOf(query["opened"]),
        closed: keysOf(query["closed"]),
    };
}

export function queryOf(choice: Choice): Record<string, string> {
    return {
        boxes: choice.base,
        opened: textOf(choice.opened),
        closed: textOf(choice.closed),
    };
}

const keysOf = (text = ""): Set<string> =>
    new Set(
        text
            .split(",")
            .filter(Boolean)
            .map((key) => key.replaceAll("%2C", ",").replaceAll("%25", "%")),
    );

const textOf = (keys: ReadonlySet<string>): string =>
    [...keys].map((key) => key.replace(/[%,]/g, encodeURIComponent)).join(",");

/** A choice in which a box, with all that is around it, is open or closed. */
export function turned(choice: Choice, tree: Tree, key: string, isOpen: boolean): Choice {
    const opened = new Set(choice.opened);
    const closed = new Set(choice.closed);
    const set = (each: string, open: boolean): void => {
        (open ? closed : opened).delete(each);
        (open ? opened : closed).add(each);
    };
    set(key, isOpen);
    let around = tree.nodes.get(key)?.stack.owner ?? null;
    const before = openKeys(tree, choice);
    for (; isOpen && around; around = around.stack.owner)
        if (!before.has(around.key)) set(around.key, true);
    return { base: choice.base, opened, closed };
}

export function openKeys(tree: Tree, choice: Choice): Set<string> {
    const open = new Set<string>();
    if (choice.base !== "none") {
        const limit = choice.base === "all" ? Infinity : SHOWN_AT_FIRST;
        let shown = tree.root.resources.length;
        let level = boxesOf([tree.root]);
        while (level.length > 0) {
            shown += level.reduce((sum, node) => sum + (node.child?.resources.length ?? 0), 0);
            if (shown > limit) break;
            for (const node of level) open.add(node.key);
            level = boxesOf(level.map((node) => node.child));
        }
    }
    for (const key of choice.opened) open.add(key);
    for (const key of choice.closed) open.delete(key);
    return open;
}

function boxesOf(stacks: readonly (StackNode | null)[]): ResourceNode[] {
    return stacks.flatMap((stack) => stack?.resources.filter(isBox) ?? []);
}
