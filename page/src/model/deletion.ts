/** What a deletion would do, grouped by what becomes of each resource. */
import { byPath } from "./plan";

/** `forgotten` is the choice of the user: it could not be deleted, and is not tried again. */
export type Fate = "deleted" | "kept" | "external" | "held" | "forgotten";

export interface PlannedDeletion {
    path: string[];
    resource_type: string;
    physical_resource_id: string | null;
    fate: Fate;
    reason: string;
    after: string[];
}

export interface DeletionGroup {
    fate: Fate;
    title: string;
    /** What that means for whoever asks. */
    note: string;
    resources: readonly PlannedDeletion[];
}

/** From this many resources on, their number has to be typed. */
export const MOST_UNTYPED = 20;

const GROUPS: readonly { fate: Fate; title: string; note: string }[] = [
    {
        fate: "held",
        title: "Protected",
        note: "They wait at a hook, and go when somebody clears it.",
    },
    { fate: "deleted", title: "Deleted", note: "They and their objects are gone afterwards." },
    {
        fate: "kept",
        title: "Kept by policy",
        note: "Their objects stay, and nobody manages them afterwards.",
    },
    {
        fate: "forgotten",
        title: "Forgotten",
        note: "They could not be deleted. Their objects stay, and nobody manages them afterwards.",
    },
    { fate: "external", title: "External", note: "Their objects belong to others and stay." },
];

/** The groups that are not empty, each in the order of nesting. */
export function groupsOf(planned: readonly PlannedDeletion[]): DeletionGroup[] {
    return GROUPS.map((group) => ({
        ...group,
        resources: planned
            .filter((each) => each.fate === group.fate)
            .sort((a, b) => byPath(a.path, b.path)),
    })).filter((group) => group.resources.length > 0);
}

/** How many go: those that are deleted, and those that a hook holds for a while. */
export function countOfGoing(planned: readonly PlannedDeletion[]): number {
    return planned.filter((each) => each.fate === "deleted" || each.fate === "held").length;
}

export function mustBeTyped(planned: readonly PlannedDeletion[]): boolean {
    return countOfGoing(planned) > MOST_UNTYPED || planned.some((each) => each.fate === "held");
}

/** "5 deleted, 1 kept by policy". */
export function deletionText(planned: readonly PlannedDeletion[]): string {
    const words = groupsOf(planned).map(
        (group) =>
            `${group.resources.length.toLocaleString("en")} ${group.title.toLowerCase()}`,
    );
    return words.join(", ") || "nothing in it";
}

/** The list if some are forgotten; these are named by their paths. */
export function withForgotten(
    planned: readonly PlannedDeletion[],
    forgotten: ReadonlySet<string>,
): PlannedDeletion[] {
    return planned.map((each) => {
        if (!forgotten.has(each.path.join("/"))) return each;
        const object = each.physical_resource_id || "its object";
        return {
            ...each,
            fate: "forgotten",
            reason: `${object} stays, and is not managed any more`,
        };
    });
}
