/** Operations that touch every resource once, or go on with what was begun. */
import { useId, useState } from "preact/hooks";
import { act } from "../../api/stacks";
import { stateOf } from "../../model/status";
import type { StackStore } from "../../state/stack";
import { Confirm } from "./Confirm";

interface Props {
    store: StackStore;
    onClose: () => void;
}

function sizeOf(store: StackStore): string {
    const { total } = store.counts.value;
    return `${total.toLocaleString("en")} ${total === 1 ? "resource" : "resources"}`;
}

export function SuspendDialog({ store, onClose }: Props) {
    return (
        <Confirm
            title={`Suspend ${store.at.name}`}
            verb={`Suspend ${sizeOf(store)}`}
            store={store}
            begin={() => act(store.at, "suspend")}
            onClose={onClose}
        >
            <p>
                Every resource that can be suspended is, through all nesting; servers are shut
                off, for example. What depends on others goes first.
            </p>
            <p class="muted">Until it is resumed, the stack cannot be updated.</p>
        </Confirm>
    );
}

export function ResumeDialog({ store, onClose }: Props) {
    return (
        <Confirm
            title={`Resume ${store.at.name}`}
            verb={`Resume ${sizeOf(store)}`}
            store={store}
            begin={() => act(store.at, "resume")}
            onClose={onClose}
        >
            <p>
                Everything that was suspended is brought back, in the order of its dependencies.
            </p>
        </Confirm>
    );
}

export function CheckDialog({ store, onClose }: Props) {
    return (
        <Confirm
            title={`Check ${store.at.name}`}
            verb={`Check ${sizeOf(store)}`}
            store={store}
            begin={() => act(store.at, "check")}
            onClose={onClose}
        >
            <p>
                Every object is looked at: whether it is there, and whether it is as it was
                applied. Nothing is changed.
            </p>
            <p class="muted">
                What is missing fails, and the next update makes it anew. What others have
                changed is listed with its resource.
            </p>
        </Confirm>
    );
}

export function RetryDialog({ store, onClose }: Props) {
    const stack = store.stack.value;
    const failures = stack?.failures ?? [];
    return (
        <Confirm
            title={`Retry ${store.at.name}`}
            verb="Try again"
            store={store}
            begin={() => act(store.at, "retry")}
            onClose={onClose}
        >
            <p>
                {stateOf(stack?.stack_status ?? "").action} is tried again with the files and
                values that the stack has. What is done already stays.
            </p>
            {failures.length > 0 && (
                <ul class="operations-failures" aria-label="What failed">
                    {failures.map((failure) => (
                        <li key={`${failure.path.join("/")} ${failure.physical_resource_id}`}>
                            <strong>{failure.path.join(".")}</strong>{" "}
                            <span class="muted">{failure.resource_type}</span>
                            <div>{failure.reason}</div>
                        </li>
                    ))}
                </ul>
            )}
            <p class="muted">
                If the cause is in the files or values, “Update” changes them, and goes on from
                here too.
            </p>
        </Confirm>
    );
}

/** A button that says "Cancel" alone is taken for the one that closes the dialog. */
const WORDS: Readonly<Record<string, string>> = {
    CREATE: "creation",
    UPDATE: "update",
    DELETE: "deletion",
    ROLLBACK: "rollback",
    RESTORE: "restore",
};

export function CancelDialog({ store, onClose }: Props) {
    const { action } = stateOf(store.stack.value?.stack_status ?? "");
    const canGoBack = action === "UPDATE";
    const [goesBack, setGoesBack] = useState(canGoBack);
    const id = useId();
    return (
        <Confirm
            title={`Cancel ${store.at.name}`}
            verb={
                goesBack ? "Cancel and roll back" : `Cancel the ${WORDS[action] ?? "operation"}`
            }
            store={store}
            isDangerous
            begin={() => act(store.at, goesBack ? "cancel_update" : "cancel_without_rollback")}
            onClose={onClose}
        >
            <p>What is under way is stopped; what waits is not begun.</p>
            <fieldset class="operations-choice">
                <legend>And then</legend>
                {canGoBack && (
                    <label>
                        <input
                            type="radio"
                            name={id}
                            checked={goesBack}
                            onChange={() => setGoesBack(true)}
                        />{" "}
                        go back to what last completed
                    </label>
                )}
                <label>
                    <input
                        type="radio"
                        name={id}
                        checked={!goesBack}
                        onChange={() => setGoesBack(false)}
                    />{" "}
                    stay where it is: {action}_FAILED, to be retried or updated
                </label>
            </fieldset>
        </Confirm>
    );
}
