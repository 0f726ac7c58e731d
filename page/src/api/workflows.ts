/** Calls about executions of workflows: Mistral's API, below `/v2` of the same server. */
import { get, send } from "./http";

export interface Execution {
    id: string;
    workflow_name: string;
    description: string;
    state: string;
    state_info: string | null;
    /** A map, as JSON. */
    input: string;
    output?: string;
    params: string;
    task_execution_id: string | null;
    root_execution_id: string | null;
    created_at: string;
    updated_at: string;
}

export interface TaskRun {
    id: string;
    name: string;
    type: string;
    state: string;
    state_info: string | null;
    /** JSON: which tasks led to it, how many items it has. */
    runtime_context: string;
    published: string;
    result?: string;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
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

const NEWEST = { sort_keys: "created_at", sort_dirs: "desc" } as const;

/** The newest executions that no other one started; of these workflows, if some are named. */
export async function listExecutions(
    names: readonly string[] | null,
    signal?: AbortSignal,
): Promise<Execution[]> {
    const query = {
        ...NEWEST,
        limit: 200,
        nulls: "task_execution_id",
        ...(names ? { workflow_name: `in:${names.join(",")}` } : {}),
    };
    return (await get<{ executions: Execution[] }>("/v2/executions", query, signal)).executions;
}

export interface ExecutionDetail {
    execution: Execution;
    tasks: TaskRun[];
    graph: WorkflowGraph;
}

export async function showExecution(
    id: string,
    signal?: AbortSignal,
): Promise<ExecutionDetail> {
    const [execution, tasks, graph] = await Promise.all([
        get<Execution>(path(id), {}, signal),
        get<{ tasks: TaskRun[] }>(path(id, "/tasks"), {}, signal),
        get<WorkflowGraph>(path(id, "/graph"), {}, signal),
    ]);
    return { execution, tasks: tasks.tasks, graph };
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
