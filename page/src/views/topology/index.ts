import type { StackTab } from "../registry";

export const topology: StackTab = {
    id: "topology",
    title: "Topology",
    load: () => import("./TopologyView"),
};
