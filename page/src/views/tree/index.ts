import type { StackTab } from "../registry";

export const tree: StackTab = { id: "tree", title: "Tree", load: () => import("./TreeView") };
