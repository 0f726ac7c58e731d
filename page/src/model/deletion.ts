/** What a deletion would do, grouped by what becomes of each resource. */
import { byPath } from "./plan";

/** `forgotten` is the choice of the user: it could not be deleted, and is not tried again. */
export type DeletionStep = "deleted" | "kept" | "external" | "waiting" | "forgotten";

export interface PlannedDeletion {
    path: string[];
    resource_type: string;
    physical_resource_id: string | null;
    step: DeletionStep;
    reason: string;
    after: string[];
}

export interface DeletionGroup {
    step: DeletionStep;
    title: string;
    /** What that means for whoever asks. */
    note: string;
    resources: readonly PlannedDeletion[];
}

/** From this many resources on, their number has to be typed. */
export const MOST_UNTYPED = 20;

const GROUPS: readonly { step: DeletionStep; title: string; note: string }[] = [
    {
        step: "waiting",
        title: "Protected",
        note: "They wait at a hook, and go when somebody clears it.",
    },
    { step: "deleted", title: "Deleted", note: "They and their objects are gone afterwards." },
    {
        step: "kept",
        title: "Kept by policy",
        note: "Their objects stay, and nobody manages them afterwards.",
    },
    {
        step: "forgotten",
        title: "Forgotten",
        note: "They could not be deleted. Their objects stay, and nobody manages them afterwards.",
    },
    { step: "external", title: "External", note: "Their objects belong to others and stay." },
];

/** The groups that are not empty, each in the order of nesting. */
export function groupsOf(planned: readonly PlannedDeletion[]): DeletionGroup[] {
    return GROUPS.map((group) => ({
        ...group,
        resources: planned
            .filter((each) => each.step === group.step)
            .sort((a, b) => byPath(a.path, b.path)),
    })).filter((group) => group.resources.length > 0);
}

/** How many go: those that are deleted, and those that a hook holds for a while. */
export function countOfGoing(planned: readonly PlannedDeletion[]): number {
    return planned.filter((each) => each.step === "deleted" || each.step === "waiting").length;
}

export function mustBeTyped(planned: readonly PlannedDeletion[]): boolean {
    return (
        countOfGoing(planned) > MOST_UNTYPED || planned.some((each) => each.step === "waiting")
    );
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
            step: "forgotten",
            reason: `${object} stays, and is not managed any more`,
        };
    });
}
