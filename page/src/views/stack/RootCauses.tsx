/** Why a stack has failed: the words of the leaf, the path to it, one click away. */
import type { Stack } from "../../api/types";
import { keyOf } from "../../model/tree";
import { Icon } from "../../parts/Icon";
import { select } from "../../state/route";

const SHOWN = 3;

export function RootCauses({ stack }: { stack: Stack }) {
    const failures = stack.failures ?? [];
    if (failures.length === 0) {
        const isPlain = !stack.stack_status.endsWith("_FAILED");
        return isPlain ? null : (
            <div class="causes" role="alert">
                <p class="cause">{stack.stack_status_reason}</p>
            </div>
        );
    }
    return (
        <div class="causes" role="alert" aria-label="Root causes">
            {failures.slice(0, SHOWN).map((failure, index) => (
                <button
                    key={index}
                    type="button"
                    class="cause"
                    onClick={() =>
                        select(
                            keyOf(failure.path, failure.physical_resource_id, failure.is_old),
                        )
                    }
                >
                    <span class="failed">
                        <Icon name="cross" />
                    </span>
                    <span class="stretch">
                        <span class="cause-path mono">{failure.path.join(" › ")}</span>
                        <span class="cause-type muted">
                            {failure.resource_type}, {failure.resource_action}
                        </span>
                        <span class="cause-words">{failure.reason}</span>
                    </span>
                </button>
            ))}
            {failures.length > SHOWN && (
                <p class="cause muted">
                    and {failures.length - SHOWN} more: the tree lists failures first
                </p>
            )}
        </div>
    );
}
