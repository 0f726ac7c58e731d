/** What stands behind `#` in the address of the page, as parts and as one text. */

export interface Route {
    project: string;
    section: string;
    rest: readonly string[];
    query: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
    const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
    const parts = path.split("/").filter(Boolean).map(decoded);
    return {
        project: parts[0] ?? "",
        section: parts[1] ?? "stacks",
        rest: parts.slice(2),
        query: Object.fromEntries(new URLSearchParams(search)),
    };
}

function decoded(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export function hashOf(to: Route): string {
    if (!to.project) return "#/";
    const parts = [to.project, to.section, ...to.rest].map(encodeURIComponent);
    const search = new URLSearchParams(to.query).toString();
    return `#/${parts.join("/")}${search ? `?${search}` : ""}`;
}
