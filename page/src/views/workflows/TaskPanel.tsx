/** One task: what it called, what came of it, and how to run it again. */
import { useState } from "preact/hooks";
import { rerunTask, showTask } from "../../api/workflows";
import type { TaskDetail } from "../../api/workflows";
import type { TaskNode } from "../../model/workflow";
import { Button } from "../../parts/Button";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { sectionHref } from "../../state/route";
import { Data } from "./ExecutionPage";
import { State } from "./State";

export function TaskPanel({ node }: { node: TaskNode }) {
    return (
        <section class="workflows-panel" aria-label={`Task ${node.name}`}>
            <div class="row">
                <h3>{node.name}</h3>
                <State state={node.run?.state ?? ""} />
                <span class="muted">
                    {node.isWorkflow ? "workflow" : "action"} {node.call}
                </span>
            </div>
            {node.run ? (
                <Run id={node.run.id} state={node.run.state} />
            ) : (
                <p class="muted">
                    This execution has not come to it: nothing has led here yet, or another way
                    was taken.
                </p>
            )}
        </section>
    );
}

function Run({ id, state }: { id: string; state: string }) {
    const loaded = useLoaded((signal) => showTask(id, signal), `${id} ${state}`);
    const [error, setError] = useState<unknown>(null);
    const rerun = async (): Promise<void> => {
        setError(null);
        try {
            await rerunTask(id);
        } catch (reason) {
            setError(reason);
        }
    };
    if (!loaded.data)
        return loaded.error !== null ? (
            <ErrorBox error={loaded.error} onRetry={loaded.reload} />
        ) : (
            <Loading what="Task" />
        );
    return (
        <>
            {loaded.data.task.state_info && <p>{loaded.data.task.state_info}</p>}
            {state === "ERROR" && (
                <div>
                    <Button onClick={() => void rerun()}>Run this task again</Button>
                </div>
            )}
            {error !== null && <ErrorBox error={error} />}
            <Details detail={loaded.data} />
        </>
    );
}

function Details({ detail }: { detail: TaskDetail }) {
    const { task, actions, executions } = detail;
    return (
        <>
            {executions.map((each) => (
                <div class="row" key={each.id}>
                    Ran <a href={sectionHref("workflows", each.id)}>{each.workflow_name}</a>
                    <State state={each.state} />
                </div>
            ))}
            {actions.slice(0, 50).map((each) => (
                <details key={each.id}>
                    <summary>
                        {each.name} <State state={each.state} />
                    </summary>
                    <Data title="Input" text={each.input} />
                    <Data title="Output" text={each.output} />
                </details>
            ))}
            {actions.length > 50 && (
                <p class="muted">… and {actions.length - 50} more actions</p>
            )}
            <Data title="Result" text={task.result} />
            <Data title="Published" text={task.published} />
        </>
    );
}
