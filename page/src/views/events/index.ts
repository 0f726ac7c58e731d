import type { StackTab } from "../registry";

export const events: StackTab = {
    id: "events",
    title: "Events",
    load: () => import("./EventsView"),
};
