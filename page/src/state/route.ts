/**
 * Where the page is: all of it stands in the address behind `#`, so that a view can be shared.
 *
 *   #/PROJECT/SECTION/REST…?NAME=VALUE
 *   #/default/stacks                       the list
 *   #/default/stacks/NAME/ID/TAB?r=PATH    a tab of one stack, with a resource in the panel
 */
import { computed, signal } from "@preact/signals";
import { hashOf, parseRoute } from "../model/address";
import type { Route } from "../model/address";

export { hashOf };
export type { Route };

export const route = signal<Route>(parseRoute(location.hash));

window.addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
});

/** Go somewhere; `replace` leaves no step in the history of the browser. */
export function navigate(to: Route, replace = false): void {
    const hash = hashOf(to);
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
    route.value = to;
}

/** Change what stands behind `?`; an empty value goes. Filters replace, steps of the user push. */
export function setQuery(
    changes: Record<string, string | null | undefined>,
    replace = true,
): void {
    const query: Record<string, string> = { ...route.value.query };
    for (const [name, value] of Object.entries(changes)) {
        if (value) query[name] = value;
        else delete query[name];
    }
    navigate({ ...route.value, query }, replace);
}

/** The address of a section: `sectionHref("stacks")`. */
export function sectionHref(section: string, ...rest: string[]): string {
    return hashOf({ project: route.value.project, section, rest, query: {} });
}

export interface StackPlace {
    name: string;
    id: string;
    tab: string;
}

/** The stack and tab that the address names, if it names one. */
export const stackPlace = computed<StackPlace | null>(() => {
    const { section, rest } = route.value;
    const [name, id, tab] = rest;
    return section === "stacks" && name && id ? { name, id, tab: tab ?? "tree" } : null;
});

export function stackHref(
    at: { name: string; id: string },
    tab = "tree",
    query: Record<string, string> = {},
): string {
    return hashOf({
        project: route.value.project,
        section: "stacks",
        rest: [at.name, at.id, tab],
        query,
    });
}

/** The key of the resource in the panel, see `ResourceNode.key`. */
export const selected = computed(() => route.value.query["r"] ?? "");

/** Show a resource in the panel; an empty key closes it. */
export function select(key: string): void {
    setQuery({ r: key }, false);
}
