/**
 * Requirements between real leaves: what `required_by` means through all nesting.
 *
 * A resource that requires a nested stack waits for all that is in it, so for the leaves there that
 * nothing else in it waits for; and of a nested stack that requires something, the leaves wait that
 * wait for nothing else in it. What is between them follows. Old versions that were replaced take no
 * part: the API tells requirements by name, and the version that stands for the name has them.
 */
import { isBox, standingFor } from "./graph";
import type { ResourceNode, StackNode } from "./tree";

interface Within {
    requires: Map<ResourceNode, ResourceNode[]>;
    requiredBy: Map<ResourceNode, ResourceNode[]>;
    standing: Set<ResourceNode>;
}

export class Leaves {
    private readonly known = new Map<StackNode, Within>();

    /** The leaves that must be there before this one may begin. */
    before(leaf: ResourceNode): ResourceNode[] {
        return this.around(leaf, "requires");
    }

    /** The leaves that wait for this one. */
    after(leaf: ResourceNode): ResourceNode[] {
        return this.around(leaf, "requiredBy");
    }

    private around(leaf: ResourceNode, way: "requires" | "requiredBy"): ResourceNode[] {
        const ends: ResourceNode[] = [];
        for (
            let node: ResourceNode | null = leaf;
            node && ends.length === 0;
            node = node.stack.owner
        ) {
            const within = this.within(node.stack);
            if (!within.standing.has(node)) return [];
            for (const other of within[way].get(node) ?? []) this.collect(other, way, ends);
        }
        return [...new Set(ends)];
    }

    /** The leaves of a node at which lines end that come from outside. */
    private collect(
        node: ResourceNode,
        way: "requires" | "requiredBy",
        into: ResourceNode[],
    ): void {
        if (!isBox(node) || !node.child) {
            into.push(node);
            return;
        }
        const within = this.within(node.child);
        // What is required of a box are those that nobody inside waits for, and the other way round.
        const inner = way === "requires" ? within.requiredBy : within.requires;
        for (const each of within.standing)
            if (!inner.get(each)?.length) this.collect(each, way, into);
    }

    private within(stack: StackNode): Within {
        const before = this.known.get(stack);
        if (before) return before;
        const standing = standingFor(stack);
        const found: Within = {
            requires: new Map(),
            requiredBy: new Map(),
            standing: new Set(standing.values()),
        };
        for (const node of found.standing)
            for (const name of new Set(node.requiredBy)) {
                const other = standing.get(name);
                if (!other || other === node) continue;
                append(found.requiredBy, node, other);
                append(found.requires, other, node);
            }
        this.known.set(stack, found);
        return found;
    }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
}
