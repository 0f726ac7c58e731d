/** Keeping the state of a stack, and going back to it. */
import { useId, useState } from "preact/hooks";
import { listSnapshots, restoreSnapshot, takeSnapshot } from "../../api/operations";
import { ago } from "../../model/times";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { useLoaded } from "../../parts/useLoaded";
import { now } from "../../state/clock";
import type { StackStore } from "../../state/stack";
import { Confirm } from "./Confirm";

interface Props {
    store: StackStore;
    onClose: () => void;
}

export function SnapshotDialog({ store, onClose }: Props) {
    const [name, setName] = useState("");
    const id = useId();
    return (
        <Confirm
            title={`Take a snapshot of ${store.at.name}`}
            verb="Take a snapshot"
            store={store}
            begin={() => takeSnapshot(store.at, name)}
            onClose={onClose}
        >
            <p>
                The files and values of the stack are kept, and the data of resources whose
                types can do that: volumes and servers, for example.
            </p>
            <div class="field">
                <label for={id}>Name of the snapshot</label>
                <input
                    id={id}
                    class="input"
                    value={name}
                    onInput={(event) => setName(event.currentTarget.value)}
                />
            </div>
        </Confirm>
    );
}

export function RestoreDialog({ store, onClose }: Props) {
    const [chosen, setChosen] = useState("");
    const group = useId();
    const snapshots = useLoaded((signal) => listSnapshots(store.at, signal), store.at.id);
    const whole = snapshots.data?.filter((each) => each.status === "COMPLETE") ?? [];
    return (
        <Confirm
            title={`Restore ${store.at.name}`}
            verb="Restore"
            store={store}
            isDangerous
            isReady={chosen !== ""}
            begin={() => restoreSnapshot(store.at, chosen)}
            onClose={onClose}
        >
            {snapshots.error !== null && (
                <ErrorBox error={snapshots.error} onRetry={snapshots.reload} />
            )}
            {!snapshots.data && snapshots.error === null && <Loading what="Snapshots" />}
            {snapshots.data && whole.length === 0 && (
                <Empty title="No snapshots yet">
                    <p>“Snapshot” in the same menu keeps the state that the stack has now.</p>
                </Empty>
            )}
            {whole.length > 0 && (
                <>
                    <p>
                        The stack goes back to the files and values of the snapshot, and
                        resources to the data that it kept. Resources that the snapshot does not
                        know are deleted.
                    </p>
                    <fieldset class="operations-choice">
                        <legend>Snapshot</legend>
                        {whole.map((each) => (
                            <label key={each.id}>
                                <input
                                    type="radio"
                                    name={group}
                                    checked={chosen === each.id}
                                    onChange={() => setChosen(each.id)}
                                />{" "}
                                {each.name || each.id}{" "}
                                <span class="muted">{ago(each.creation_time, now.value)}</span>{" "}
                                <StatusBadge status={each.status} />
                            </label>
                        ))}
                    </fieldset>
                </>
            )}
        </Confirm>
    );
}
