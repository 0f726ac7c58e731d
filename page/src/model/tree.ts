/**
 * The tree of a stack in memory: every resource through all nesting, found by its path.
 *
 * It is changed in place by events; whoever shows it listens to the store's `revision`.
 */
import type { StackEvent, StackSummary, TreeResource, TreeStack } from "../api/types";
import { isGone, stateOf, toneOf } from "./status";
import type { Tone } from "./status";

export interface ResourceNode {
    /** The path as one text; an old version has its physical id behind it. Good in addresses. */
    key: string;
    /** Names from the root stack to this resource. */
    path: readonly string[];
    name: string;
    type: string;
    status: string;
    reason: string;
    physicalId: string;
    created: string;
    updated: string;
    requiredBy: readonly string[];
    isOld: boolean;
    isExternal: boolean;
    /** The hook at which it waits, or empty. */
    hook: string;
    /** The stack that contains it. */
    stack: StackNode;
    /** The nested stack that it is, if it is one. */
    child: StackNode | null;
}

export interface StackNode {
    id: string;
    name: string;
    status: string;
    reason: string;
    summary: StackSummary;
    /** The resource that this stack is; null for the root. */
    owner: ResourceNode | null;
    resources: ResourceNode[];
}

export interface Tree {
    root: StackNode;
    stacks: Map<string, StackNode>;
    nodes: Map<string, ResourceNode>;
}

/** Whether what an event told is all in the tree now, or the tree has to be asked for. */
export type Applied = "nothing" | "changed" | "structure";

export function keyOf(path: readonly string[], physicalId = "", isOld = false): string {
    const key = path.join("/");
    return isOld ? `${key}~${physicalId}` : key;
}

export function buildTree(document: TreeStack): Tree {
    const stacks = new Map<string, StackNode>();
    const nodes = new Map<string, ResourceNode>();
    return { root: addStack({ stacks, nodes }, document, null), stacks, nodes };
}

type Index = Pick<Tree, "stacks" | "nodes">;

function addStack(index: Index, from: TreeStack, owner: ResourceNode | null): StackNode {
    const { resources, ...summary } = from;
    const stack: StackNode = {
        id: from.id,
        name: from.stack_name,
        status: from.stack_status,
        reason: from.stack_status_reason,
        summary,
        owner,
        resources: [],
    };
    index.stacks.set(stack.id, stack);
    for (const each of resources) addResource(index, each, stack);
    return stack;
}

function addResource(index: Index, from: TreeResource, stack: StackNode): void {
    const path = [...(stack.owner?.path ?? []), from.resource_name];
    const isInOld = stack.owner !== null && stack.owner.key.includes("~");
    const node: ResourceNode = {
        key: keyOf(path, from.physical_resource_id, from.is_old || isInOld),
        path,
        name: from.resource_name,
        type: from.resource_type,
        status: from.resource_status,
        reason: from.resource_status_reason,
        physicalId: from.physical_resource_id,
        created: from.creation_time,
        updated: from.updated_time,
        requiredBy: from.required_by,
        isOld: from.is_old,
        isExternal: from.is_external,
        hook: from.hook ?? "",
        stack,
        child: null,
    };
    stack.resources.push(node);
    index.nodes.set(node.key, node);
    if (from.stack) node.child = addStack(index, from.stack, node);
}

/**
 * Put a nested stack into the tree, in the place of what was known of it; false if its place is
 * not known.
 */
export function graft(tree: Tree, document: TreeStack): boolean {
    const before = tree.stacks.get(document.id);
    const owner = before ? before.owner : ownerOf(tree, document);
    if (!owner) return false;
    if (owner.child) forget(tree, owner.child);
    owner.child = addStack(tree, document, owner);
    return true;
}

/** The ids of a stack and of all that are nested in it. */
export function* stackIdsIn(document: TreeStack): Generator<string> {
    yield document.id;
    for (const each of document.resources) if (each.stack) yield* stackIdsIn(each.stack);
}

function ownerOf(tree: Tree, document: TreeStack): ResourceNode | undefined {
    const parent = document.parent ? tree.stacks.get(document.parent) : undefined;
    const name = document.resources[0]?.parent_resource;
    return (
        parent?.resources.find((each) => each.physicalId === document.id) ??
        parent?.resources.find((each) => !each.isOld && each.name === name)
    );
}

function forget(tree: Tree, stack: StackNode): void {
    tree.stacks.delete(stack.id);
    for (const node of stack.resources) {
        tree.nodes.delete(node.key);
        if (node.child) forget(tree, node.child);
    }
}

/** The id of the stack in which an event happened. */
export function stackIdOf(event: StackEvent): string {
    const href = event.links.find((link) => link.rel === "stack")?.href ?? "";
    return href.slice(href.lastIndexOf("/") + 1);
}

/** Name and id of the stack in which an event happened. */
export function stackOf(event: StackEvent): { name: string; id: string } {
    const href = event.links.find((link) => link.rel === "stack")?.href ?? "";
    const [name = "", id = ""] = href.split("/").slice(-2);
    return { name: decodeURIComponent(name), id };
}

export function isOfStack(event: StackEvent): boolean {
    return (
        event.physical_resource_id !== null && event.physical_resource_id === stackIdOf(event)
    );
}

/** Put what an event says into the tree. */
export function applyEvent(tree: Tree, event: StackEvent): Applied {
    const stack = tree.stacks.get(stackIdOf(event));
    if (stack === undefined) return "structure";
    if (isOfStack(event)) {
        stack.status = event.resource_status;
        stack.reason = event.resource_status_reason;
        stack.summary.stack_status = event.resource_status;
        stack.summary.stack_status_reason = event.resource_status_reason;
        return "changed";
    }
    const physicalId = event.physical_resource_id ?? "";
    const versions = stack.resources.filter((each) => each.name === event.resource_name);
    const current = versions.find((each) => !each.isOld);
    const node = versionOf(versions, event.resource_status, physicalId);
    if (node === undefined) return "structure";
    node.status = event.resource_status;
    node.reason = event.resource_status_reason;
    node.updated = event.event_time;
    node.hook = "";
    if (physicalId) node.physicalId = physicalId;
    // Only the tree says at which hook something waits, and what a resource that went leaves behind.
    if (event.resource_status_reason.includes("paused until Hook")) return "structure";
    if (isGone(node.status) && (node.isOld || stateOf(stack.status).action !== "DELETE"))
        return "structure";
    if (current !== node && !node.isOld) return "structure";
    return "changed";
}

/** Which version of a resource an event tells of; undefined if the tree does not have it. */
function versionOf(
    versions: readonly ResourceNode[],
    status: string,
    physicalId: string,
): ResourceNode | undefined {
    const same = versions.find((each) => physicalId !== "" && each.physicalId === physicalId);
    if (same) return same;
    const current = versions.find((each) => !each.isOld);
    if (!current) return undefined;
    // Until it exists it has a name for an id, or none.
    const isComing =
        current.status === "INIT_COMPLETE" || current.status === "CREATE_IN_PROGRESS";
    if (isComing)
        return stateOf(status).action === "DELETE" && versions.length > 1 ? undefined : current;
    // What is created though it exists is another version, in the place of the one that is known.
    if (status === "CREATE_IN_PROGRESS" || versions.length > 1) return undefined;
    return physicalId === "" || current.physicalId === "" ? current : undefined;
}

export type Counts = Record<Tone, number> & { total: number };

export const noCounts = (): Counts => ({
    done: 0,
    running: 0,
    failed: 0,
    waiting: 0,
    idle: 0,
    total: 0,
});

/** How many resources of each tone are in every stack, through all nesting; by the stack's id. */
export function rollUps(tree: Tree): Map<string, Counts> {
    const found = new Map<string, Counts>();
    const count = (stack: StackNode): Counts => {
        const counts = noCounts();
        for (const node of stack.resources) {
            if (node.child) {
                const inner = count(node.child);
                for (const name of Object.keys(inner) as (keyof Counts)[])
                    counts[name] += inner[name];
            } else {
                counts[toneOf(node.status, node.hook)] += 1;
                counts.total += 1;
            }
        }
        found.set(stack.id, counts);
        return counts;
    };
    count(tree.root);
    return found;
}

/** All resources, each before what is inside it. */
export function* everyResource(stack: StackNode): Generator<ResourceNode> {
    for (const node of stack.resources) {
        yield node;
        if (node.child) yield* everyResource(node.child);
    }
}
