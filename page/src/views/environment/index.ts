import type { StackTab } from "../registry";

export const environment: StackTab = {
    id: "environment",
    title: "Environment",
    load: () => import("./EnvironmentView"),
};
