import type { Section } from "../registry";

/** `#/PROJECT/adopt`; the list of stacks leads here. */
export const adopt: Section = {
    id: "adopt",
    title: "Adopt",
    isHidden: true,
    load: () => import("./AdoptView"),
};
