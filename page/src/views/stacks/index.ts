import type { Section } from "../registry";

export const stacks: Section = {
    id: "stacks",
    title: "Stacks",
    load: () => import("./StacksView"),
};
