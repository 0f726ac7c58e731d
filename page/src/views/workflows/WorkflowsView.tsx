/** Executions of workflows, live: the list, and one of them. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { ExecutionList } from "../../state/executions";
import { route } from "../../state/route";
import { ExecutionPage } from "./ExecutionPage";
import { ExecutionTable } from "./ExecutionTable";
import { Lost } from "./Lost";
import { RunDialog } from "./RunDialog";
import { useLive } from "./useLive";
import "./workflows.css";

export default function WorkflowsView() {
    const [id] = route.value.rest;
    return id ? <ExecutionPage key={id} id={id} /> : <List />;
}

function List() {
    const list = useLive(() => new ExecutionList(null), route.value.project);
    const [isAsking, setAsking] = useState(false);
    const rows = list.rows.value;
    const error = list.error.value;
    return (
        <div class="page-body">
            <div class="row">
                <h1>Workflows</h1>
                <Lost stream={list.stream.value} />
                <span class="stretch" />
                <Button kind="primary" onClick={() => setAsking(true)}>
                    Run a workflow
                </Button>
            </div>
            {isAsking && <RunDialog onClose={() => setAsking(false)} />}
            {error !== null && <ErrorBox error={error} />}
            {rows === null && error === null && <Loading what="Executions" />}
            {rows?.length === 0 && (
                <Empty title="No workflow has run yet">
                    <p>
                        An execution is one run of a workflow. Stacks run them for resources of
                        the types <code>OS::Mistral::…</code>; <em>Run a workflow</em> and the
                        command <code>mistral execution-create</code> run them on their own.
                    </p>
                </Empty>
            )}
            {rows && rows.length > 0 && <ExecutionTable executions={rows} />}
        </div>
    );
}
