import type { StackTab } from "../registry";

export const snapshots: StackTab = {
    id: "snapshots",
    title: "Snapshots",
    load: () => import("./SnapshotsView"),
};
