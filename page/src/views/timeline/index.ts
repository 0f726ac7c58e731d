import type { StackTab } from "../registry";

export const timeline: StackTab = {
    id: "timeline",
    title: "Timeline",
    load: () => import("./TimelineView"),
};
