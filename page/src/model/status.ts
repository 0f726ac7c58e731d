/** Action and status, as one word or two; how they are shown. */

export type Tone = "done" | "running" | "failed" | "waiting" | "idle";

export interface State {
    action: string;
    status: string;
}

/** Split `CREATE_IN_PROGRESS` into action and status. */
export function stateOf(text: string): State {
    const cut = text.indexOf("_");
    return cut < 0
        ? { action: "", status: text }
        : { action: text.slice(0, cut), status: text.slice(cut + 1) };
}

export function toneOf(text: string, hook = ""): Tone {
    if (hook) return "waiting";
    const { action, status } = stateOf(text);
    if (status === "FAILED") return "failed";
    if (status === "IN_PROGRESS") return "running";
    if (action === "INIT" || (action === "DELETE" && status === "COMPLETE")) return "idle";
    return "done";
}

export const isRunning = (text: string): boolean => text.endsWith("_IN_PROGRESS");
export const isFailed = (text: string): boolean => text.endsWith("_FAILED");
export const isGone = (text: string): boolean => text === "DELETE_COMPLETE";
