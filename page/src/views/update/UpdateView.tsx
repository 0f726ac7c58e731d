/** Another template, other files or values for a stack that is there. */
import { useMemo } from "preact/hooks";
import { ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { isRunning } from "../../model/status";
import { route, stackHref } from "../../state/route";
import { Draft, whoAsks } from "../create/draft";
import { RecipeEditor } from "../create/RecipeEditor";

/** Of the stack that was looked at last, so that looking elsewhere loses nothing. */
let kept: Draft | null = null;
let owner = "";

export default function UpdateView() {
    const [name = "", id = ""] = route.value.rest;
    const draft = useMemo(() => {
        const who = whoAsks();
        if (kept?.at?.id !== id || owner !== who || !kept.isTouched)
            kept = new Draft({ name, id });
        owner = who;
        return kept;
    }, [id, whoAsks()]);
    const stack = draft.stack.value;
    if (!stack)
        return draft.error.value !== null ? (
            <ErrorBox error={draft.error.value} onRetry={() => void draft.load()} />
        ) : (
            <Loading what="Stack" />
        );
    return (
        <div class="page-body create">
            <div class="row">
                <h1>Update {name}</h1>
                <StatusBadge status={stack.stack_status} />
                <span class="stretch" />
                <a class="button" href={stackHref({ name, id })}>
                    Back to the stack
                </a>
            </div>
            {isRunning(stack.stack_status) && (
                <p class="note-box">
                    Something is going on with this stack. An update takes over from it: what is
                    under way is ended first.
                </p>
            )}
            <p class="muted">
                These are the files that the stack has. Drop those that have changed, edit one,
                or only give other values; the rest stays.
            </p>
            <RecipeEditor draft={draft} onDone={() => (kept = null)} />
        </div>
    );
}
