/** Events of several places as one list, each with its path in the tree. */
import type { StackEvent } from "../api/types";
import { isOfStack, stackIdOf } from "./tree";
import type { Tree } from "./tree";

/** Live events (the newest last) and listed ones (the newest first), the newest first, each once. */
export function merged(
    live: readonly StackEvent[],
    listed: readonly StackEvent[],
): StackEvent[] {
    const known = new Set(listed.map((each) => each.id));
    const fresh = live.filter((each) => !known.has(each.id)).reverse();
    return [...fresh, ...listed];
}

/** The names that lead to what an event tells of; none for the root stack itself. */
export function eventPath(event: StackEvent, tree: Tree | null): string[] {
    const stack = tree?.stacks.get(stackIdOf(event));
    const above = stack?.owner?.path ?? [];
    if (isOfStack(event)) return [...above];
    return [...above, event.resource_name];
}
