/** Run a workflow: which one, and with what. */
import { useId, useState } from "preact/hooks";
import { listWorkflows, startExecution } from "../../api/workflows";
import type { Execution, Workflow } from "../../api/workflows";
import { parsed } from "../../model/workflow";
import { inputsOf, inputToSend, textOfInput } from "../../model/workflowInput";
import type { WorkflowInput } from "../../model/workflowInput";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { navigate, route } from "../../state/route";

interface Props {
    /** Only these workflows. */
    names?: readonly string[];
    /** The execution whose workflow and input are there already. */
    like?: Execution;
    onClose: () => void;
}

export function RunDialog({ names, like, onClose }: Props) {
    const loaded = useLoaded((signal) => listWorkflows(signal), "");
    const [chosen, setChosen] = useState(like?.workflow_id ?? "");
    const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
        like ? valuesOf(like) : {},
    );
    const [description, setDescription] = useState("");
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const id = useId();
    const known = (loaded.data ?? []).filter((each) => !names || names.includes(each.name));
    const workflow =
        known.find((each) => each.id === chosen) ?? (known.length === 1 ? known[0] : undefined);
    const inputs = workflow ? inputsOf(workflow.interface) : [];
    const isReady =
        !!workflow &&
        inputs.every((each) => !each.isRequired || (values[each.name] ?? "") !== "");
    const run = async (): Promise<void> => {
        if (!workflow) return;
        setBusy(true);
        setError(null);
        try {
            const input = inputToSend(inputs, values);
            const execution = await startExecution(workflow.id, input, description);
            onClose();
            const { project } = route.value;
            navigate({ project, section: "workflows", rest: [execution], query: {} });
        } catch (reason) {
            setError(reason);
            setBusy(false);
        }
    };
    return (
        <Dialog
            title="Run a workflow"
            onClose={onClose}
            footer={
                <>
                    <Button onClick={onClose}>Leave it</Button>
                    <Button
                        kind="primary"
                        disabled={isBusy || !isReady}
                        onClick={() => void run()}
                    >
                        {isBusy ? "Asking …" : workflow ? `Run ${workflow.name}` : "Run"}
                    </Button>
                </>
            }
        >
            <div class="workflows-run">
                {loaded.error !== null && (
                    <ErrorBox error={loaded.error} onRetry={loaded.reload} />
                )}
                {!loaded.data && loaded.error === null && <Loading what="Workflows" />}
                {loaded.data && known.length === 0 && <NoWorkflows />}
                {known.length > 0 && (
                    <>
                        <div class="field">
                            <label for={`${id}-flow`}>Workflow</label>
                            <select
                                id={`${id}-flow`}
                                class="input"
                                value={workflow?.id ?? ""}
                                onChange={(event) => setChosen(event.currentTarget.value)}
                            >
                                {!workflow && <option value="">Choose one</option>}
                                {known.map((each) => (
                                    <option key={each.id} value={each.id}>
                                        {nameOf(each)}
                                    </option>
                                ))}
                            </select>
                        </div>
                        {inputs.map((each) => (
                            <Input
                                key={`${workflow?.id} ${each.name}`}
                                input={each}
                                value={values[each.name] ?? ""}
                                onChange={(value) =>
                                    setValues({ ...values, [each.name]: value })
                                }
                            />
                        ))}
                        {workflow && inputs.length === 0 && (
                            <p class="muted">This workflow asks for nothing.</p>
                        )}
                        {inputs.length > 0 && (
                            <p class="muted">
                                Numbers, <code>true</code>, lists and maps are written as JSON;
                                anything else is a text.
                            </p>
                        )}
                        <div class="field">
                            <label for={`${id}-about`}>Description</label>
                            <input
                                id={`${id}-about`}
                                class="input"
                                value={description}
                                onInput={(event) => setDescription(event.currentTarget.value)}
                            />
                        </div>
                    </>
                )}
                {error !== null && <ErrorBox error={error} />}
            </div>
        </Dialog>
    );
}

const nameOf = (workflow: Workflow): string =>
    workflow.namespace ? `${workflow.name} (${workflow.namespace})` : workflow.name;

function valuesOf(execution: Execution): Record<string, string> {
    const given = parsed(execution.input) as Record<string, unknown> | null;
    return Object.fromEntries(
        Object.entries(given ?? {}).map(([name, value]) => [name, textOfInput(value)]),
    );
}

interface InputProps {
    input: WorkflowInput;
    value: string;
    onChange: (value: string) => void;
}

function Input({ input, value, onChange }: InputProps) {
    const id = useId();
    return (
        <div class="field">
            <label for={id}>
                {input.name}
                {input.isRequired && <span class="muted"> (needed)</span>}
            </label>
            <textarea
                id={id}
                class="input mono"
                rows={value.length > 60 || value.includes("\n") ? 4 : 1}
                spellcheck={false}
                placeholder={input.fallback}
                aria-required={input.isRequired}
                value={value}
                onInput={(event) => onChange(event.currentTarget.value)}
            />
            {!input.isRequired && (
                <div class="muted">Left empty: {input.fallback || "empty"}</div>
            )}
        </div>
    );
}

function NoWorkflows() {
    return (
        <Empty title="No workflows">
            <p>
                A resource of the type <code>OS::Mistral::Workflow</code> makes one, and so does
                the command <code>mistral workflow-create flow.yaml</code>.
            </p>
        </Empty>
    );
}
