/** Why a stack has failed: the words of the leaf, the path to it, one click away. */
import { useState } from "preact/hooks";
import type { Failure, Stack } from "../../api/types";
import { keyOf } from "../../model/tree";
import { Icon } from "../../parts/Icon";
import { stateOf } from "../../model/status";
import { sectionHref, select } from "../../state/route";

const SHOWN = 2;

export function RootCauses({ stack }: { stack: Stack }) {
    const [isAll, setAll] = useState(false);
    const groups = bySaying(stack.failures ?? []);
    if (groups.length === 0) {
        if (!stack.stack_status.endsWith("_FAILED")) return null;
        return (
            <div class="causes" role="alert">
                <p class="cause">{stack.stack_status_reason}</p>
                <WayOn stack={stack} />
            </div>
        );
    }
    const shown = isAll ? groups : groups.slice(0, SHOWN);
    return (
        <section class="causes" aria-label="Root causes">
            {shown.map((group) => (
                <div class="cause" key={group.reason}>
                    <span class="failed">
                        <Icon name="cross" />
                    </span>
                    <div class="stretch">
                        <p class="cause-words">{group.reason}</p>
                        <p class="cause-places">
                            {group.failures
                                .slice(0, isAll ? undefined : SHOWN)
                                .map((failure, index) => (
                                    <button
                                        key={index}
                                        type="button"
                                        class="link mono"
                                        onClick={() =>
                                            select(
                                                keyOf(
                                                    failure.path,
                                                    failure.physical_resource_id,
                                                    failure.is_old,
                                                ),
                                            )
                                        }
                                    >
                                        {failure.path.join(" › ")}
                                    </button>
                                ))}
                            {!isAll && group.failures.length > SHOWN && (
                                <button type="button" class="link" onClick={() => setAll(true)}>
                                    and {group.failures.length - SHOWN} more with the same words
                                </button>
                            )}
                            <span class="cause-type">
                                {group.failures[0]?.resource_type},{" "}
                                {group.failures[0]?.resource_action}
                            </span>
                        </p>
                    </div>
                </div>
            ))}
            {!isAll && groups.length > SHOWN && (
                <p class="cause">
                    <button type="button" class="link" onClick={() => setAll(true)}>
                        {groups.length - SHOWN} other causes
                    </button>
                </p>
            )}
            <WayOn stack={stack} />
        </section>
    );
}

/** What helps depends on where the cause is. */
function WayOn({ stack }: { stack: Stack }) {
    const { action, status } = stateOf(stack.stack_status);
    if (status !== "FAILED" || !["CREATE", "UPDATE", "ROLLBACK"].includes(action)) return null;
    return (
        <p class="cause-way">
            If the cause is in the files or values,{" "}
            <a href={sectionHref("update", stack.stack_name, stack.id)}>update them</a>; if it
            has gone, <em>Operations</em>, <em>Retry</em>.
        </p>
    );
}

interface Group {
    reason: string;
    failures: Failure[];
}

/** What failed with the same words is one cause to a reader. */
function bySaying(failures: readonly Failure[]): Group[] {
    const groups = new Map<string, Group>();
    for (const failure of failures) {
        const group = groups.get(failure.reason);
        if (group) group.failures.push(failure);
        else groups.set(failure.reason, { reason: failure.reason, failures: [failure] });
    }
    return [...groups.values()];
}
