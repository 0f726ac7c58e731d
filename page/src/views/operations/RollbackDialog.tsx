/** Going back to what last completed, with its plan. */
import { previewRollback } from "../../api/operations";
import { act } from "../../api/stacks";
import { changesText, countsOf, isDestructive, planOfUpdate } from "../../model/plan";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import type { StackStore } from "../../state/stack";
import { Plan } from "../plan/Plan";
import { Confirm } from "./Confirm";

interface Props {
    store: StackStore;
    onClose: () => void;
}

export default function RollbackDialog({ store, onClose }: Props) {
    const preview = useLoaded(
        async (signal) => planOfUpdate(await previewRollback(store.at, signal)),
        store.at.id,
    );
    const counts = preview.data && countsOf(preview.data);
    return (
        <Confirm
            title={`Roll ${store.at.name} back`}
            verb={counts ? `Roll back: ${changesText(counts)}` : "Roll back"}
            store={store}
            isWide
            isDangerous={!!counts && isDestructive(counts)}
            isReady={preview.data !== null}
            begin={() => act(store.at, "rollback")}
            onClose={onClose}
        >
            <p>The stack goes back to what last completed.</p>
            {preview.error !== null && (
                <ErrorBox error={preview.error} onRetry={preview.reload} />
            )}
            {!preview.data && preview.error === null && <Loading what="Plan" />}
            {preview.data && <Plan name={store.at.name} steps={preview.data} />}
        </Confirm>
    );
}
