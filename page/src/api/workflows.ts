/** Calls about executions of workflows: Mistral's API, below `/v2` of the same server. */
import { get, send } from "./http";

/** What lists and streams tell of an execution. */
export interface ExecutionHead {
    id: string;
    workflow_name: string;
    description: string;
    state: string;
    state_info: string | null;
    created_at: string;
    updated_at: string;
}

export interface Execution extends ExecutionHead {
    workflow_id: string;
    /** A map, as JSON. */
    input: string;
    output?: string;
    params: string;
    task_execution_id: string | null;
    root_execution_id: string | null;
}

/** What streams tell of a task. */
export interface TaskHead {
    id: string;
    name: string;
    type: string;
    state: string;
    state_info: string | null;
    /** JSON: which tasks led to it, how many items it has. */
    runtime_context: string;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
}

export interface TaskRun extends TaskHead {
    published: string;
    result?: string;
}

export interface ActionRun {
    id: string;
    name: string;
    state: string;
    state_info: string | null;
    input: string;
    output?: string;
}

/** The tasks of the workflow itself, also those that have not run. */
export interface TaskDefinition {
    name: string;
    type: string;
    call: string;
    join: string | number | null;
    requires: string[];
    next: { name: string; event: string; guard: string }[];
}

export interface WorkflowGraph {
    is_reverse: boolean;
    tasks: TaskDefinition[];
}

const path = (id: string, below = ""): string =>
    `/v2/executions/${encodeURIComponent(id)}${below}`;

/** Where the newest executions are followed; of these workflows, if some are named. */
export function executionsStream(names: readonly string[] | null): {
    path: string;
    query: Record<string, string>;
} {
    const query: Record<string, string> = names ? { workflow_name: names.join(",") } : {};
    return { path: "/executions/stream", query };
}

/** Where an execution and its tasks are followed. */
export function executionStream(id: string): string {
    return `/executions/${encodeURIComponent(id)}/stream`;
}

export interface ExecutionDetail {
    execution: Execution;
    graph: WorkflowGraph;
}

export async function showExecution(
    id: string,
    signal?: AbortSignal,
): Promise<ExecutionDetail> {
    const [execution, graph] = await Promise.all([
        get<Execution>(path(id), {}, signal),
        get<WorkflowGraph>(path(id, "/graph"), {}, signal),
    ]);
    return { execution, graph };
}

export interface Workflow {
    id: string;
    name: string;
    namespace: string;
    /** JSON: the inputs, by name or as a map of a name to its default; the names of outputs. */
    interface: string;
}

/** All workflows that can be run, by their names. */
export async function listWorkflows(signal?: AbortSignal): Promise<Workflow[]> {
    const query = { fields: "name,namespace,interface", sort_keys: "name", sort_dirs: "asc" };
    return (await get<{ workflows: Workflow[] }>("/v2/workflows", query, signal)).workflows;
}

/** Run a workflow; returns the id of the execution. */
export async function startExecution(
    workflow: string,
    input: Record<string, unknown>,
    description: string,
): Promise<string> {
    const body = { workflow_id: workflow, input, description };
    return (await send<{ id: string }>("POST", "/v2/executions", body)).id;
}

export interface TaskDetail {
    task: TaskRun;
    actions: ActionRun[];
    executions: Execution[];
}

export async function showTask(id: string, signal?: AbortSignal): Promise<TaskDetail> {
    const at = `/v2/tasks/${encodeURIComponent(id)}`;
    const [task, actions, below] = await Promise.all([
        get<TaskRun>(at, {}, signal),
        get<{ action_executions: ActionRun[] }>(`${at}/action_executions`, {}, signal),
        get<{ executions: Execution[] }>(`${at}/workflow_executions`, {}, signal),
    ]);
    return { task, actions: actions.action_executions, executions: below.executions };
}

/** PAUSED, RUNNING or CANCELLED. */
export function setState(id: string, state: string): Promise<unknown> {
    return send("PUT", path(id), { state });
}

/** Run a failed task again, with what it has. */
export function rerunTask(id: string): Promise<unknown> {
    return send("PUT", `/v2/tasks/${encodeURIComponent(id)}`, {
        state: "RUNNING",
        reset: true,
    });
}
