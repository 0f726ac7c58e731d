/** What a stack is and how it is, at a glance; and what can be done with it. */
import type { ComponentType } from "preact";
import { useMemo, useState } from "preact/hooks";
import { lazy } from "../../parts/Lazy";
import { Menu } from "../../parts/Menu";
import { Progress } from "../../parts/Progress";
import { StatusBadge } from "../../parts/Status";
import { sectionHref } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { operations } from "../registry";
import { RootCauses } from "./RootCauses";
import { StackTimes } from "./StackTimes";

type OperationDialog = ComponentType<{ store: StackStore; onClose: () => void }>;

export function StackHeader({ store }: { store: StackStore }) {
    const [open, setOpen] = useState("");
    const dialogs = useMemo(
        () =>
            new Map<string, OperationDialog>(
                operations.map((each) => [each.id, lazy(each.dialog)]),
            ),
        [],
    );
    const stack = store.stack.value;
    const counts = store.counts.value;
    const Dialog = dialogs.get(open);
    return (
        <header class="stack-header">
            <div class="stack-title">
                <a href={sectionHref("stacks")}>Stacks</a>
                <span aria-hidden="true">/</span>
                <h1>{store.at.name}</h1>
                {stack && <StatusBadge status={stack.stack_status} />}
                <span class="stretch" />
                {stack && operations.length > 0 && (
                    <Menu
                        title="Operations"
                        items={operations.map((each) => ({
                            id: each.id,
                            title: each.title,
                            isDangerous: each.isDangerous ?? false,
                            refusal: each.refusal?.(stack) ?? "",
                            onChoose: () => setOpen(each.id),
                        }))}
                    />
                )}
            </div>
            {stack && (
                <div class="stack-facts">
                    <span class="stack-progress">
                        <Progress counts={counts} />
                        <span class="number">
                            {counts.done}/{counts.total} resources
                        </span>
                    </span>
                    {counts.failed > 0 && <span class="failed">{counts.failed} failed</span>}
                    {counts.waiting > 0 && (
                        <span class="waiting">{counts.waiting} at a hook</span>
                    )}
                    <StackTimes store={store} stack={stack} />
                    <Live store={store} />
                </div>
            )}
            {stack && <RootCauses stack={stack} />}
            {Dialog && <Dialog store={store} onClose={() => setOpen("")} />}
        </header>
    );
}

const STREAM_WORDS = {
    connecting: "connecting",
    live: "live",
    reconnecting: "connection lost, trying again",
    over: "no more events",
} as const;

function Live({ store }: { store: StackStore }) {
    const state = store.stream.value;
    return (
        <span class={`stream stream-${state}`} role="status">
            <span class="stream-dot" aria-hidden="true" />
            {STREAM_WORDS[state]}
        </span>
    );
}
