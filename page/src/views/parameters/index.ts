import type { StackTab } from "../registry";

export const parameters: StackTab = {
    id: "parameters",
    title: "Parameters",
    load: () => import("./ParametersView"),
};
