/** The frame of every operation: what will happen, the button that begins it, and what went wrong. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { ErrorBox } from "../../parts/Messages";
import type { StackStore } from "../../state/stack";
import "./operations.css";

interface Props {
    title: string;
    /** What the button says: a verb, and how much it is about. */
    verb: string;
    store: StackStore;
    /** Begins the operation; the dialog closes when it was accepted. */
    begin: () => Promise<unknown>;
    onClose: () => void;
    isDangerous?: boolean;
    isReady?: boolean;
    isWide?: boolean;
    /** Look at the stack again, after a refusal because it has moved. */
    onStale?: () => void;
    children: ComponentChildren;
}

export function Confirm(props: Props) {
    const { title, verb, store, begin, onClose, isDangerous = false, isReady = true } = props;
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const run = async (): Promise<void> => {
        setBusy(true);
        setError(null);
        try {
            await begin();
            onClose();
            // Its first event may be a moment away; the header shall not seem to have missed it.
            void store.refresh().catch(() => undefined);
        } catch (reason) {
            setError(reason);
            props.onStale?.();
        } finally {
            setBusy(false);
        }
    };
    return (
        <Dialog
            title={title}
            onClose={onClose}
            isWide={props.isWide ?? false}
            footer={
                <>
                    <Button onClick={onClose}>Leave it as it is</Button>
                    <Button
                        kind={isDangerous ? "danger" : "primary"}
                        disabled={isBusy || !isReady}
                        onClick={() => void run()}
                    >
                        {isBusy ? "Asking …" : verb}
                    </Button>
                </>
            }
        >
            <div class="operations-body">
                {props.children}
                {error !== null && <ErrorBox error={error} />}
            </div>
        </Dialog>
    );
}
