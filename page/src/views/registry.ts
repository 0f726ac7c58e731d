/**
 * What the page has: sections at the top, tabs of a stack, operations on a stack.
 *
 * A view adds one file that exports its entry, and one line here. The order is that of the page.
 */
import type { ComponentType } from "preact";
import type { Stack } from "../api/types";
import type { Load } from "../parts/Lazy";
import type { StackStore } from "../state/stack";
import { adopt } from "./adopt";
import { create } from "./create";
import { environment } from "./environment";
import { events } from "./events";
import { stackOperations } from "./operations";
import { outputs } from "./outputs";
import { parameters } from "./parameters";
import { snapshots } from "./snapshots";
import { stacks } from "./stacks";
import { template } from "./template";
import { timeline } from "./timeline";
import { topology } from "./topology";
import { tree } from "./tree";
import { update } from "./update";
import { stackWorkflows, workflows } from "./workflows";

/** A place at the top of the page: `#/PROJECT/ID/…`; it reads the rest from `route`. */
export interface Section {
    id: string;
    title: string;
    /** Not in the menu, such as a page that a button leads to. */
    isHidden?: boolean;
    load: Load<object>;
}

/** A tab of one stack: `#/PROJECT/stacks/NAME/ID/TAB`. */
export interface StackTab {
    id: string;
    title: string;
    load: Load<{ store: StackStore }>;
}

/** Something that can be done with a stack; its dialog tells what will happen, and does it. */
export interface StackOperation {
    id: string;
    title: string;
    isDangerous?: boolean;
    /** Why it cannot be done now, or empty. */
    refusal?: (stack: Stack) => string;
    dialog: () => Promise<{
        default: ComponentType<{ store: StackStore; onClose: () => void }>;
    }>;
}

export const sections: readonly Section[] = [stacks, create, adopt, update, workflows];

export const tabs: readonly StackTab[] = [
    tree,
    topology,
    timeline,
    events,
    environment,
    template,
    parameters,
    outputs,
    snapshots,
    stackWorkflows,
];

export const operations: readonly StackOperation[] = [...stackOperations];
