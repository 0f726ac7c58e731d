/** Executions of the workflows that are resources of a stack; they follow the stack's events. */
import { listExecutions } from "../../api/workflows";
import { everyResource } from "../../model/tree";
import type { StackStore } from "../../state/stack";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { Button } from "../../parts/Button";
import { useLoaded } from "../../parts/useLoaded";
import { ExecutionTable } from "./ExecutionTable";
import { useLookAgain } from "./useLookAgain";
import "./workflows.css";

const WORKFLOW = "OS::Mistral::Workflow";

export default function StackWorkflows({ store }: { store: StackStore }) {
    void store.revision.value;
    const nodes = store.tree
        ? [...everyResource(store.tree.root)].filter((node) =>
              node.type.startsWith("OS::Mistral::"),
          )
        : [];
    const names = nodes
        .filter((node) => node.type === WORKFLOW && node.physicalId)
        .map((node) => node.physicalId);
    // Whatever happens to one of them may be an execution that began or ended.
    const states = nodes.map((node) => `${node.key} ${node.status} ${node.updated}`).join("|");
    const loaded = useLoaded(
        async (signal) => (names.length ? listExecutions(names, signal) : []),
        `${names.join(",")} ${states}`,
    );
    useLookAgain(loaded.reload);
    if (!store.tree) return <Loading what="Tree" />;
    if (names.length === 0)
        return (
            <Empty title="No workflows in this stack">
                <p>
                    A resource of the type <code>{WORKFLOW}</code> keeps a workflow in the
                    stack, and <code>OS::Mistral::ExternalResource</code> runs it to make,
                    change and delete something that no other type knows.
                </p>
            </Empty>
        );
    return (
        <div class="view-body">
            <div class="row">
                <span class="stretch muted">
                    Executions of {names.length} {names.length === 1 ? "workflow" : "workflows"}{" "}
                    of this stack
                </span>
                <Button onClick={loaded.reload}>Look again</Button>
            </div>
            {loaded.error !== null && <ErrorBox error={loaded.error} onRetry={loaded.reload} />}
            {loaded.data?.length === 0 && (
                <Empty title="None of them has run yet">
                    <p>They run when a resource needs them, or when they get a signal.</p>
                </Empty>
            )}
            {loaded.data && loaded.data.length > 0 && (
                <ExecutionTable executions={loaded.data} />
            )}
        </div>
    );
}
