/** Executions of the workflows that are resources of a stack, live. */
import { useState } from "preact/hooks";
import { everyResource } from "../../model/tree";
import { Button } from "../../parts/Button";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { ExecutionList } from "../../state/executions";
import type { StackStore } from "../../state/stack";
import { ExecutionTable } from "./ExecutionTable";
import { Lost } from "./Lost";
import { RunDialog } from "./RunDialog";
import { useLive } from "./useLive";
import "./workflows.css";

const WORKFLOW = "OS::Mistral::Workflow";

export default function StackWorkflows({ store }: { store: StackStore }) {
    void store.revision.value;
    if (!store.tree) return <Loading what="Tree" />;
    const names = [...everyResource(store.tree.root)]
        .filter((node) => node.type === WORKFLOW && node.physicalId)
        .map((node) => node.physicalId);
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
    return <Executions key={names.join(",")} names={names} />;
}

function Executions({ names }: { names: readonly string[] }) {
    const list = useLive(() => new ExecutionList(names), names.join(","));
    const [isAsking, setAsking] = useState(false);
    const rows = list.rows.value;
    const error = list.error.value;
    return (
        <div class="view-body">
            <div class="row">
                <span class="muted">
                    Executions of {names.length} {names.length === 1 ? "workflow" : "workflows"}{" "}
                    of this stack
                </span>
                <Lost stream={list.stream.value} />
                <span class="stretch" />
                <Button onClick={() => setAsking(true)}>Run a workflow</Button>
            </div>
            {isAsking && <RunDialog names={names} onClose={() => setAsking(false)} />}
            {error !== null && <ErrorBox error={error} />}
            {rows === null && error === null && <Loading what="Executions" />}
            {rows?.length === 0 && (
                <Empty title="None of them has run yet">
                    <p>They run when a resource needs them, or when they get a signal.</p>
                </Empty>
            )}
            {rows && rows.length > 0 && <ExecutionTable executions={rows} />}
        </div>
    );
}
