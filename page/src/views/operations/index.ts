/** What can be done with a stack, in the order of the menu. */
import type { ComponentType } from "preact";
import type { StackOperation } from "../registry";
import { refusalOf } from "./refusals";
import type { Operation } from "./refusals";
import type { StackStore } from "../../state/stack";

type OperationDialog = ComponentType<{ store: StackStore; onClose: () => void }>;
type Load = () => Promise<{ default: OperationDialog }>;

function operation(
    id: Operation,
    title: string,
    dialog: Load,
    isDangerous = false,
): StackOperation {
    return {
        id,
        title,
        isDangerous,
        refusal: (stack) => refusalOf(id, stack.stack_status),
        dialog,
    };
}

const visits = () => import("./VisitDialogs");
const snapshots = () => import("./SnapshotDialogs");

export const stackOperations: readonly StackOperation[] = [
    operation("update", "Update", () => import("./UpdateLink")),
    operation("retry", "Retry", async () => ({ default: (await visits()).RetryDialog })),
    operation("rollback", "Roll back", () => import("./RollbackDialog")),
    operation("cancel", "Cancel", async () => ({ default: (await visits()).CancelDialog })),
    operation("check", "Check", async () => ({ default: (await visits()).CheckDialog })),
    operation("suspend", "Suspend", async () => ({ default: (await visits()).SuspendDialog })),
    operation("resume", "Resume", async () => ({ default: (await visits()).ResumeDialog })),
    operation("snapshot", "Snapshot", async () => ({
        default: (await snapshots()).SnapshotDialog,
    })),
    operation("restore", "Restore", async () => ({
        default: (await snapshots()).RestoreDialog,
    })),
    operation("abandon", "Abandon", () => import("./AbandonDialog"), true),
    operation("delete", "Delete", () => import("./DeleteDialog"), true),
];
