/** Sizes and distances of the topology, in its own units: those of the screen at a scale of 1. */
export const LEAF = { width: 212, height: 62 } as const;
export const CLOSED = { width: 212, height: 80 } as const;
/** Inside an open box: the title above, and room on each side for the lines to its gates. */
export const TITLE = 34;
export const PADDING = 20;
export const NARROWEST_BOX = 300;
/** Between things side by side: two lines fit in. */
export const GAP_X = 40;
export const GAP_Y = 26;
/** Where the trunk runs that leads from a gate to the rows of a grid. */
export const TRUNK = 10;
