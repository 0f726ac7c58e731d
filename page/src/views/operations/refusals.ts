/** What a stack cannot do in the state that it has, in the words of the API. */
import { isGone, stateOf } from "../../model/status";

export type Operation =
    | "update"
    | "retry"
    | "rollback"
    | "cancel"
    | "suspend"
    | "resume"
    | "check"
    | "snapshot"
    | "restore"
    | "delete"
    | "abandon";

const VISITS = ["SUSPEND", "RESUME", "SNAPSHOT"];
const NEEDS_REST: readonly Operation[] = [
    "retry",
    "suspend",
    "resume",
    "check",
    "snapshot",
    "restore",
];

/** Why an operation cannot be begun now, or empty. The server has the last word. */
export function refusalOf(operation: Operation, text: string): string {
    const { action, status } = stateOf(text);
    if (isGone(text)) return "it has been deleted";
    if (operation === "cancel")
        return status === "IN_PROGRESS" && ["UPDATE", "CREATE"].includes(action)
            ? ""
            : "no update or creation is going on";
    if (status === "IN_PROGRESS" && NEEDS_REST.includes(operation))
        return `${action} is in progress`;
    if (operation === "retry")
        return status === "FAILED" ? "" : "it has not failed; update it instead";
    if (operation === "delete" || operation === "abandon") return "";
    if (action === "DELETE") return "it is being deleted; delete it again";
    if (operation === "resume") return resumption(action, status);
    if (action === "SUSPEND" && operation !== "restore")
        return operation === "suspend" && status === "FAILED" ? "" : "resume it first";
    const isUnsound = status === "FAILED" && !VISITS.includes(action);
    if (isUnsound && (operation === "suspend" || operation === "snapshot"))
        return "it has failed; update it, or retry";
    return "";
}

function resumption(action: string, status: string): string {
    return action === "SUSPEND" || (action === "RESUME" && status === "FAILED")
        ? ""
        : "it is not suspended";
}
