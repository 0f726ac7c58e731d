import type { Section } from "../registry";

export const create: Section = {
    id: "create",
    title: "Create",
    load: () => import("./CreateView"),
};
