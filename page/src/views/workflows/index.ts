import type { Section, StackTab } from "../registry";

/** `#/PROJECT/workflows`, and `#/PROJECT/workflows/ID?task=NAME` for one execution. */
export const workflows: Section = {
    id: "workflows",
    title: "Workflows",
    load: () => import("./WorkflowsView"),
};

/** The executions of the workflows that a stack has. */
export const stackWorkflows: StackTab = {
    id: "workflows",
    title: "Workflows",
    load: () => import("./StackWorkflows"),
};
