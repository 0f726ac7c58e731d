import type { Section } from "../registry";

/** `#/PROJECT/update/NAME/ID`; the operation "Update" of a stack leads here. */
export const update: Section = {
    id: "update",
    title: "Update",
    isHidden: true,
    load: () => import("./UpdateView"),
};
