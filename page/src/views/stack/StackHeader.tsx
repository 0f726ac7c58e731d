/** What a stack is and how it is, at a glance. */
import { StatusBadge } from "../../parts/Status";
import { Progress } from "../../parts/Progress";
import type { StackStore } from "../../state/stack";

export function StackHeader({ store }: { store: StackStore }) {
    const stack = store.stack.value;
    return (
        <header class="stack-header">
            <h1>{store.at.name}</h1>
            {stack && <StatusBadge status={stack.stack_status} />}
            <Progress counts={store.counts.value} />
        </header>
    );
}
