/** What a resource requires, and what requires it, among those of its stack. */
import type { ResourceNode } from "./tree";

/** The resources that this one requires: those that name it in `required_by`. */
export function requires(node: ResourceNode): ResourceNode[] {
    return node.stack.resources.filter(
        (each) => !each.isOld && each.requiredBy.includes(node.name),
    );
}

export function requiredBy(node: ResourceNode): ResourceNode[] {
    const names = new Set(node.requiredBy);
    return node.stack.resources.filter((each) => !each.isOld && names.has(each.name));
}

/** All versions of the resource that are there, the one that stands for it first. */
export function versionsOf(node: ResourceNode): ResourceNode[] {
    return node.stack.resources
        .filter((each) => each.name === node.name)
        .sort((a, b) => Number(a.isOld) - Number(b.isOld));
}
