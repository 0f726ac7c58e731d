/**
 * The critical path: the chain of steps, each waiting for the one before it, that ends last.
 *
 * To make it shorter is the only way to make the whole shorter.
 */

/** One action of one leaf. */
export interface Step {
    id: string;
    begin: number;
    /** For what still runs: now. */
    end: number;
    isDeletion: boolean;
    /** Which event began and which ended it: times are only known in seconds. */
    first: number;
    last: number;
}

export interface Requirements {
    /** What must be there before the leaf may begin. */
    before: (id: string) => readonly string[];
    /** What waits for the leaf; it goes first when the leaf is deleted. */
    after: (id: string) => readonly string[];
}

/** Return the steps of the path, the first one first. What does not depend on anything ends it. */
export function criticalPath(steps: readonly Step[], requirements: Requirements): Step[] {
    const byId = new Map<string, Step[]>();
    for (const step of steps) {
        const list = byId.get(step.id);
        if (list) list.push(step);
        else byId.set(step.id, [step]);
    }
    const path: Step[] = [];
    const taken = new Set<Step>();
    let at = last(steps);
    while (at && !taken.has(at)) {
        taken.add(at);
        path.unshift(at);
        at = last(waitedFor(at, byId, requirements).filter((step) => !taken.has(step)));
    }
    return path;
}

function waitedFor(
    step: Step,
    byId: ReadonlyMap<string, readonly Step[]>,
    requirements: Requirements,
): Step[] {
    const of = (ids: readonly string[]): Step[] =>
        ids
            .flatMap((id) => byId.get(id) ?? [])
            .filter((other) => other !== step && other.last <= step.first);
    if (!step.isDeletion)
        return of(requirements.before(step.id)).filter((other) => !other.isDeletion);
    // What required it has gone or has been changed before; so has what took its place.
    return of([...requirements.after(step.id), step.id]);
}

function last(steps: readonly Step[]): Step | undefined {
    let found: Step | undefined;
    for (const step of steps)
        if (
            !found ||
            step.end > found.end ||
            (step.end === found.end && step.last > found.last)
        )
            found = step;
    return found;
}
