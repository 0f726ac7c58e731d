/** Forgetting a stack: its objects stay, and the document says which they are. */
import { useState } from "preact/hooks";
import { abandonStack, exportStack } from "../../api/operations";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { navigate, route } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { download } from "./download";
import "./operations.css";

interface Props {
    store: StackStore;
    onClose: () => void;
}

export default function AbandonDialog({ store, onClose }: Props) {
    const exported = useLoaded((signal) => exportStack(store.at, signal), store.at.id);
    const [answer, setAnswer] = useState<unknown>(null);
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const document = answer ?? exported.data;
    const text = document === null ? "" : JSON.stringify(document, null, 2);
    const file = `${store.at.name}.json`;
    const abandon = async (): Promise<void> => {
        setBusy(true);
        setError(null);
        try {
            const told = await abandonStack(store.at);
            setAnswer(told);
            download(file, JSON.stringify(told, null, 2));
        } catch (reason) {
            setError(reason);
        } finally {
            setBusy(false);
        }
    };
    const close = (): void => {
        onClose();
        if (answer === null) return;
        const { project } = route.value;
        navigate({ project, section: "stacks", rest: [], query: {} });
    };
    return (
        <Dialog
            title={`Abandon ${store.at.name}`}
            onClose={close}
            isWide
            footer={
                answer === null ? (
                    <>
                        <Button onClick={close}>Leave it as it is</Button>
                        <Button
                            kind="danger"
                            disabled={isBusy || exported.data === null}
                            onClick={() => void abandon()}
                        >
                            {isBusy ? "Asking …" : "Abandon"}
                        </Button>
                    </>
                ) : (
                    <Button kind="primary" onClick={close}>
                        To the list of stacks
                    </Button>
                )
            }
        >
            <div class="operations-body">
                {answer === null ? (
                    <p>
                        The stack is forgotten at once, and{" "}
                        <strong>all its objects stay</strong>: nobody manages them afterwards.
                        The document below says what they are; with it <em>Adopt</em> above the
                        list of stacks, or <code>hotplate adopt</code>, makes a stack of them
                        again. It is downloaded when the stack is abandoned.
                    </p>
                ) : (
                    <p role="status">
                        <strong>{store.at.name} is abandoned.</strong> Its objects are where
                        they were. Keep the document: <em>Adopt</em> above the list of stacks,
                        or{" "}
                        <code>
                            hotplate adopt {store.at.name} {file}
                        </code>
                        , makes a stack of them again.
                    </p>
                )}
                {exported.error !== null && (
                    <ErrorBox error={exported.error} onRetry={exported.reload} />
                )}
                {error !== null && <ErrorBox error={error} />}
                {text === "" && exported.error === null && <Loading what="Document" />}
                {text !== "" && (
                    <>
                        <div class="row">
                            <Button onClick={() => download(file, text)}>
                                Download {file}
                            </Button>
                        </div>
                        <pre
                            class="code-block operations-document"
                            tabIndex={0}
                            aria-label={file}
                        >
                            {text}
                        </pre>
                    </>
                )}
            </div>
        </Dialog>
    );
}
