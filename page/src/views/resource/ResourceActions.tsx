/** What can be done with one resource: mark it, signal it, clear its hook, retry the stack. */
import { useState } from "preact/hooks";
import { clearHook, markUnhealthy, signalResource } from "../../api/resources";
import { act } from "../../api/stacks";
import { isFailed, isRunning } from "../../model/status";
import type { ResourceNode } from "../../model/tree";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { ErrorBox } from "../../parts/Messages";
import type { StackStore } from "../../state/stack";

const UNHEALTHY = "CHECK_FAILED";

export function ResourceActions({ store, node }: { store: StackStore; node: ResourceNode }) {
    const [open, setOpen] = useState<"" | "mark" | "signal">("");
    const [error, setError] = useState<unknown>(null);
    const at = { name: node.stack.name, id: node.stack.id };
    const rootStatus = store.stack.value?.stack_status ?? "";
    const run = async (work: () => Promise<unknown>): Promise<void> => {
        setError(null);
        try {
            await work();
            setOpen("");
            await store.refresh();
        } catch (reason) {
            setError(reason);
        }
    };
    if (node.isOld) return null;
    const isMarked = node.status === UNHEALTHY;
    return (
        <div class="panel-actions">
            <div class="row">
                {node.hook && (
                    <Button
                        kind="primary"
                        onClick={() => void run(() => clearHook(at, node.name, node.hook))}
                    >
                        Clear hook {node.hook}
                    </Button>
                )}
                {isFailed(rootStatus) && isFailed(node.status) && !isMarked && (
                    <Button
                        kind="primary"
                        onClick={() => void run(() => act(store.at, "retry"))}
                    >
                        Retry the stack
                    </Button>
                )}
                <Button disabled={isRunning(rootStatus)} onClick={() => setOpen("mark")}>
                    {isMarked ? "Mark healthy" : "Mark unhealthy"}
                </Button>
                <Button onClick={() => setOpen("signal")}>Signal</Button>
            </div>
            {error !== null && open === "" && <ErrorBox error={error} />}
            {open === "mark" && (
                <MarkDialog
                    node={node}
                    isMarked={isMarked}
                    error={error}
                    onClose={() => setOpen("")}
                    onSend={(reason) =>
                        void run(() => markUnhealthy(at, node.name, !isMarked, reason))
                    }
                />
            )}
            {open === "signal" && (
                <SignalDialog
                    node={node}
                    error={error}
                    onClose={() => setOpen("")}
                    onSend={(data) => void run(() => signalResource(at, node.name, data))}
                />
            )}
        </div>
    );
}

interface DialogProps<T> {
    node: ResourceNode;
    error: unknown;
    onClose: () => void;
    onSend: (value: T) => void;
}

function MarkDialog({
    node,
    isMarked,
    error,
    onClose,
    onSend,
}: DialogProps<string> & { isMarked: boolean }) {
    const [reason, setReason] = useState("");
    const verb = isMarked ? "Mark healthy" : "Mark unhealthy";
    return (
        <Dialog
            title={`${verb}: ${node.path.join(" › ")}`}
            onClose={onClose}
            footer={
                <>
                    <Button onClick={onClose}>Leave it</Button>
                    <Button kind="primary" onClick={() => onSend(reason)}>
                        {verb}
                    </Button>
                </>
            }
        >
            {error !== null && <ErrorBox error={error} />}
            <p>
                {isMarked
                    ? "It counts as well again, and the next update leaves it as it is."
                    : "Nothing happens to it now. The next update of the stack replaces it, and changes what requires it if need be."}
            </p>
            <label class="field">
                <span>Reason, for those who look later</span>
                <input
                    class="input"
                    value={reason}
                    onInput={(event) => setReason(event.currentTarget.value)}
                />
            </label>
        </Dialog>
    );
}

function SignalDialog({ node, error, onClose, onSend }: DialogProps<unknown>) {
    const [text, setText] = useState('{\n  "status": "SUCCESS"\n}');
    const [fault, setFault] = useState("");
    const send = (): void => {
        try {
            onSend(text.trim() ? JSON.parse(text) : {});
            setFault("");
        } catch (reason) {
            setFault(
                `This is not JSON: ${reason instanceof Error ? reason.message : String(reason)}`,
            );
        }
    };
    return (
        <Dialog
            title={`Signal: ${node.path.join(" › ")}`}
            onClose={onClose}
            footer={
                <>
                    <Button onClick={onClose}>Leave it</Button>
                    <Button kind="primary" onClick={send}>
                        Signal
                    </Button>
                </>
            }
        >
            {error !== null && <ErrorBox error={error} />}
            <p class="muted">
                A wait condition takes <code>status</code>, <code>reason</code>,{" "}
                <code>data</code> and <code>id</code>; a scaling policy needs nothing. What its
                type does not take is refused.
            </p>
            <label class="field">
                <span>Data as JSON</span>
                <textarea
                    class="input mono"
                    rows={7}
                    value={text}
                    aria-invalid={fault !== ""}
                    onInput={(event) => setText(event.currentTarget.value)}
                />
            </label>
            {fault && (
                <p class="failed" role="alert">
                    {fault}
                </p>
            )}
        </Dialog>
    );
}
