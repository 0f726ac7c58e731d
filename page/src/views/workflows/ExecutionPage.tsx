/** One execution: its state, its tasks as a graph, what went in and what came out. */
import { useState } from "preact/hooks";
import { setState } from "../../api/workflows";
import type { Execution } from "../../api/workflows";
import { clock, span, timeOf } from "../../model/times";
import { graphOf, parsed, timeText, toneOfState } from "../../model/workflow";
import type { TaskGraph } from "../../model/workflow";
import { Button } from "../../parts/Button";
import { ErrorBox, Loading } from "../../parts/Messages";
import { now } from "../../state/clock";
import { ExecutionStore } from "../../state/executions";
import { route, sectionHref, setQuery } from "../../state/route";
import { GraphView } from "./GraphView";
import { Lost } from "./Lost";
import { RunDialog } from "./RunDialog";
import { State } from "./State";
import { TaskPanel } from "./TaskPanel";
import { useLive } from "./useLive";

export function ExecutionPage({ id }: { id: string }) {
    const store = useLive(() => new ExecutionStore(id), id);
    const execution = store.execution.value;
    const error = store.error.value;
    if (!execution)
        return error !== null ? (
            <ErrorBox error={error} onRetry={() => void store.load()} />
        ) : (
            <Loading what="Execution" />
        );
    const graph = graphOf(store.graph, store.tasks.value);
    const chosen = graph.nodes.find((node) => node.name === route.value.query["task"]);
    return (
        <div class="page-body workflows">
            <div class="row">
                <a href={sectionHref("workflows")}>Workflows</a>
                <span aria-hidden="true">/</span>
                <h1>{execution.workflow_name}</h1>
                <State state={execution.state} />
                <Lost stream={store.stream.value} />
                <span class="stretch" />
                <Controls execution={execution} />
            </div>
            {error !== null && <ErrorBox error={error} onRetry={() => void store.load()} />}
            <Facts execution={execution} graph={graph} />
            {execution.state_info && (
                <p class={`note-box ${toneOfState(execution.state)}`}>{execution.state_info}</p>
            )}
            <section class="workflows-part" aria-label="Tasks">
                <h2>Tasks</h2>
                <GraphView
                    graph={graph}
                    chosen={chosen?.name ?? ""}
                    onChoose={(name) => setQuery({ task: name })}
                />
                {chosen && <TaskPanel key={chosen.name} node={chosen} />}
            </section>
            <Data title="Input" text={execution.input} />
            <Data title="Output" text={execution.output} />
        </div>
    );
}

function Facts({ execution, graph }: { execution: Execution; graph: TaskGraph }) {
    const begun = timeText(execution.created_at);
    const isOver = ["done", "failed"].includes(toneOfState(execution.state));
    const end = isOver ? timeOf(timeText(execution.updated_at)) : now.value;
    const run = graph.nodes.filter((node) => node.run).length;
    return (
        <dl class="facts">
            <dt>Begun</dt>
            <dd>
                {clock(begun)}, {isOver ? "took" : "since"} {span(end - timeOf(begun))}
            </dd>
            <dt>Tasks</dt>
            <dd>
                {run} of {graph.nodes.length} have run
            </dd>
            {execution.description && (
                <>
                    <dt>Description</dt>
                    <dd>{execution.description}</dd>
                </>
            )}
            {execution.root_execution_id && (
                <>
                    <dt>Part of</dt>
                    <dd>
                        <a href={sectionHref("workflows", execution.root_execution_id)}>
                            {execution.root_execution_id}
                        </a>
                    </dd>
                </>
            )}
            <dt>Id</dt>
            <dd>
                <code>{execution.id}</code>
            </dd>
        </dl>
    );
}

/** What can be done with it; what comes of it, the stream tells. */
function Controls({ execution }: { execution: Execution }) {
    const [error, setError] = useState<unknown>(null);
    const [isAsking, setAsking] = useState(false);
    const change = (state: string) => async (): Promise<void> => {
        setError(null);
        try {
            await setState(execution.id, state);
        } catch (reason) {
            setError(reason);
        }
    };
    const { state } = execution;
    return (
        <>
            {state === "RUNNING" && (
                <Button onClick={() => void change("PAUSED")()}>Pause</Button>
            )}
            {state === "PAUSED" && (
                <Button onClick={() => void change("RUNNING")()}>Resume</Button>
            )}
            {(state === "RUNNING" || state === "PAUSED") && (
                <Button kind="danger" onClick={() => void change("CANCELLED")()}>
                    Cancel
                </Button>
            )}
            {!execution.root_execution_id && (
                <Button onClick={() => setAsking(true)}>Run it again</Button>
            )}
            {isAsking && <RunDialog like={execution} onClose={() => setAsking(false)} />}
            {error !== null && <ErrorBox error={error} />}
        </>
    );
}

export function Data({ title, text }: { title: string; text: string | undefined }) {
    const data = parsed(text);
    const isEmpty =
        data === null || (typeof data === "object" && Object.keys(data).length === 0);
    if (isEmpty) return null;
    return (
        <section class="workflows-data" aria-label={title}>
            <h3>{title}</h3>
            <pre class="code-block" tabIndex={0} aria-label={title}>
                {JSON.stringify(data, null, 2)}
            </pre>
        </section>
    );
}
