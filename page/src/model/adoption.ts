/** What `abandon` wrote, read before it is adopted. */

export interface AdoptedResource {
    /** Names from the outermost stack to the resource. */
    path: string;
    type: string;
    /** The id of its object; empty for none. */
    physicalId: string;
    isNested: boolean;
}

export interface Adoption {
    name: string;
    resources: AdoptedResource[];
}

interface Written {
    name?: unknown;
    type?: unknown;
    resource_id?: unknown;
    resources?: Record<string, Written>;
}

/** Whether a text may be what `abandon` wrote: a JSON document with a template and resources. */
export function isAdoption(text: string): boolean {
    return /^\s*\{/.test(text) && adoptionOf(text) !== null;
}

/** What a document says; null if it is not what `abandon` writes. */
export function adoptionOf(text: string): Adoption | null {
    let document: Written & { template?: unknown };
    try {
        document = JSON.parse(text) as typeof document;
    } catch {
        return null;
    }
    const isOne =
        typeof document === "object" &&
        document !== null &&
        typeof document.resources === "object" &&
        document.resources !== null &&
        !!document.template;
    // A template has resources, too, but none of them has an object already.
    if (!isOne || "heat_template_version" in document) return null;
    const resources: AdoptedResource[] = [];
    collect(document.resources ?? {}, "", resources);
    return { name: wordOf(document.name), resources };
}

const wordOf = (value: unknown): string => (typeof value === "string" ? value : "");

function collect(found: Record<string, Written>, above: string, into: AdoptedResource[]): void {
    for (const [name, each] of Object.entries(found)) {
        const path = above ? `${above}.${name}` : name;
        const nested = each.resources;
        into.push({
            path,
            type: wordOf(each.type),
            physicalId: wordOf(each.resource_id),
            isNested: nested !== undefined,
        });
        if (nested) collect(nested, path, into);
    }
}
