/**
 * Whether a tree that is changed in place still has the same stacks and resources: events change
 * status alone, and whatever comes or goes comes with a new object for the stack that it is in.
 */
import type { StackNode, Tree } from "./tree";

const numbers = new WeakMap<StackNode, number>();
let newest = 0;

/** A number that grows when a stack in the tree has been put there anew. */
export function structureOf(tree: Tree | null): number {
    let highest = 0;
    for (const stack of tree?.stacks.values() ?? []) {
        let number = numbers.get(stack);
        if (number === undefined) {
            newest += 1;
            number = newest;
            numbers.set(stack, number);
        }
        highest = Math.max(highest, number);
    }
    return highest;
}
