import type { StackTab } from "../registry";

export const outputs: StackTab = {
    id: "outputs",
    title: "Outputs",
    load: () => import("./OutputsView"),
};
