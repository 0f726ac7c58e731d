/** Executions of workflows: the list, and one of them. */
import { listExecutions } from "../../api/workflows";
import { Button } from "../../parts/Button";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { route } from "../../state/route";
import { ExecutionPage } from "./ExecutionPage";
import { ExecutionTable } from "./ExecutionTable";
import { useLookAgain } from "./useLookAgain";
import "./workflows.css";

export default function WorkflowsView() {
    const [id] = route.value.rest;
    return id ? <ExecutionPage key={id} id={id} /> : <List />;
}

function List() {
    const loaded = useLoaded((signal) => listExecutions(null, signal), route.value.project);
    useLookAgain(loaded.reload);
    return (
        <div class="page-body">
            <div class="row">
                <h1 class="stretch">Workflows</h1>
                <Button onClick={loaded.reload}>Look again</Button>
            </div>
            {loaded.error !== null && <ErrorBox error={loaded.error} onRetry={loaded.reload} />}
            {!loaded.data && loaded.error === null && <Loading what="Executions" />}
            {loaded.data?.length === 0 && (
                <Empty title="No workflow has run yet">
                    <p>
                        An execution is one run of a workflow. Stacks run them for resources of
                        the types <code>OS::Mistral::…</code>; the command{" "}
                        <code>mistral execution-create</code> runs them on their own.
                    </p>
                </Empty>
            )}
            {loaded.data && loaded.data.length > 0 && (
                <ExecutionTable executions={loaded.data} />
            )}
        </div>
    );
}
