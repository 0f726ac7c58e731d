import type { StackTab } from "../registry";
import TreeView from "./TreeView";

// What is shown first comes with the page: another request would delay it.
export const tree: StackTab = {
    id: "tree",
    title: "Tree",
    load: () => ({ default: TreeView }),
};
