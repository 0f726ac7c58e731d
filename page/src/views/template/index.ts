import type { StackTab } from "../registry";

export const template: StackTab = {
    id: "template",
    title: "Template",
    load: () => import("./TemplateView"),
};
