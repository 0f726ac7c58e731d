/** Deleting a stack: everything that goes and stays, before anything does. */
import { useId, useState } from "preact/hooks";
import { deleteStack, forgetResource, previewDeletion } from "../../api/operations";
import {
    countOfGoing,
    deletionText,
    groupsOf,
    MOST_UNTYPED,
    mustBeTyped,
    withForgotten,
} from "../../model/deletion";
import type { DeletionGroup, PlannedDeletion } from "../../model/deletion";
import { Button } from "../../parts/Button";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { stateOf } from "../../model/status";
import type { Failure } from "../../api/types";
import type { StackStore } from "../../state/stack";
import { Confirm } from "./Confirm";

const MOST = 200;

interface Props {
    store: StackStore;
    onClose: () => void;
}

export default function DeleteDialog({ store, onClose }: Props) {
    const [typed, setTyped] = useState("");
    // The list belongs to one state of the stack: another one is refused, and shown anew.
    const preview = useLoaded(async (signal) => {
        await store.refresh();
        const etag = store.etag;
        return { etag, planned: await previewDeletion(store.at, signal) };
    }, store.at.id);
    const [forgotten, setForgotten] = useState<ReadonlySet<string>>(new Set());
    const toggle = (path: string): void => {
        const next = new Set(forgotten);
        if (!next.delete(path)) next.add(path);
        setForgotten(next);
    };
    const planned = preview.data && withForgotten(preview.data.planned, forgotten);
    const count = planned ? countOfGoing(planned) : 0;
    const isTyped =
        !planned || !mustBeTyped(planned) || typed.replace(/[ ,.]/g, "") === `${count}`;
    return (
        <Confirm
            title={`Delete ${store.at.name}`}
            verb={`Delete ${count.toLocaleString("en")} ${count === 1 ? "resource" : "resources"}`}
            store={store}
            isDangerous
            isWide
            isReady={planned !== null && isTyped}
            begin={async () => {
                await forget(store, forgotten);
                await deleteStack(store.at, preview.data?.etag ?? "");
            }}
            onStale={preview.reload}
            onClose={onClose}
        >
            {preview.error !== null && (
                <ErrorBox error={preview.error} onRetry={preview.reload} />
            )}
            {!planned && preview.error === null && <Loading what="Looking at what is there" />}
            {planned && (
                <>
                    <p role="status">
                        Deleting <strong>{store.at.name}</strong>: {deletionText(planned)}.{" "}
                        Nested stacks are counted as well. Nothing has happened yet.
                    </p>
                    <FailedBefore
                        failures={couldNotBeDeleted(store)}
                        forgotten={forgotten}
                        onForget={toggle}
                    />
                    {groupsOf(planned).map((group) => (
                        <Group key={group.step} group={group} />
                    ))}
                    {mustBeTyped(planned) && (
                        <TypedCount count={count} value={typed} onInput={setTyped} />
                    )}
                </>
            )}
        </Confirm>
    );
}

/** What could not be deleted before: it is tried again, unless it shall be left alone. */
function FailedBefore({ failures, forgotten, onForget }: FailedProps) {
    if (failures.length === 0) return null;
    return (
        <fieldset class="note-box operations-choice">
            <legend>Could not be deleted before</legend>
            <p class="muted">
                They are tried again. Forget what cannot be deleted at all, because its service
                is gone for good; “Abandon” leaves the whole stack alone.
            </p>
            {failures.map((failure) => {
                const path = failure.path.join("/");
                return (
                    <label key={path}>
                        <input
                            type="checkbox"
                            checked={forgotten.has(path)}
                            onChange={() => onForget(path)}
                        />{" "}
                        Forget {failure.path.join(".")}{" "}
                        <span class="muted">{failure.reason}</span>
                    </label>
                );
            })}
        </fieldset>
    );
}

interface FailedProps {
    failures: readonly Failure[];
    forgotten: ReadonlySet<string>;
    onForget: (path: string) => void;
}

/** What can be forgotten: leaves whose deletion failed. */
function couldNotBeDeleted(store: StackStore): Failure[] {
    const stack = store.stack.value;
    const { action, status } = stateOf(stack?.stack_status ?? "");
    if (action !== "DELETE" || status !== "FAILED") return [];
    return (stack?.failures ?? []).filter((each) => each.resource_action === "DELETE");
}

async function forget(store: StackStore, paths: ReadonlySet<string>): Promise<void> {
    for (const path of paths) {
        const node = store.tree?.nodes.get(path);
        if (node) await forgetResource({ name: node.stack.name, id: node.stack.id }, node.name);
    }
}

function Group({ group }: { group: DeletionGroup }) {
    const [showsAll, setShowsAll] = useState(false);
    const id = useId();
    const shown = showsAll ? group.resources : group.resources.slice(0, MOST);
    const left = group.resources.length - shown.length;
    const here = new Set(group.resources.map((each) => each.path.join("/")));
    return (
        <section class={`operations-group ${group.step}`} aria-labelledby={id}>
            <h3 id={id}>
                {group.title} ({group.resources.length.toLocaleString("en")})
            </h3>
            <p class="muted">{group.note}</p>
            <ul>
                {shown.map((each) => (
                    <Row
                        key={`${each.path.join("/")} ${each.physical_resource_id}`}
                        each={each}
                        isInside={here.has(each.path.slice(0, -1).join("/"))}
                    />
                ))}
            </ul>
            {left > 0 && (
                <Button onClick={() => setShowsAll(true)}>
                    Show {left.toLocaleString("en")} more
                </Button>
            )}
        </section>
    );
}

/** Below what contains it, if that is in the same group; else with its whole path. */
function Row({ each, isInside }: { each: PlannedDeletion; isInside: boolean }) {
    const around = each.path.slice(0, -1).join(".");
    const depth = isInside ? each.path.length - 1 : 0;
    return (
        <li style={{ paddingLeft: `${depth * 18}px` }}>
            <span class="operations-name" title={each.path.join(".")}>
                {around && <span class={isInside ? "hidden-text" : ""}>{around}.</span>}
                {each.path[each.path.length - 1]}
            </span>{" "}
            <span class="muted">{each.resource_type}</span>{" "}
            {each.physical_resource_id && (
                <code class="muted operations-id">{each.physical_resource_id}</code>
            )}
            {each.reason && <div class="operations-reason">{each.reason}</div>}
        </li>
    );
}

export function TypedCount({
    count,
    value,
    onInput,
}: {
    count: number;
    value: string;
    onInput: (text: string) => void;
}) {
    const id = useId();
    return (
        <div class="field operations-typed">
            <label for={id}>
                {count > MOST_UNTYPED ? "This is a lot." : "Some of it is protected."} Type the
                number of resources that go: <strong>{count}</strong>
            </label>
            <input
                id={id}
                class="input"
                inputMode="numeric"
                autocomplete="off"
                value={value}
                onInput={(event) => onInput(event.currentTarget.value)}
            />
        </div>
    );
}
