/** What an update or a creation would do, read from the API and in the words of the command. */

export type Step = "create" | "update" | "replace" | "delete" | "refuse" | "leave";

export interface Source {
    kind: string;
    name: string;
    file: string;
    line: number | null;
    path: string;
}

export interface Change {
    property: string;
    old: unknown;
    new: unknown;
    is_in_place: boolean;
    sources: Source[];
}

/** A resource in an answer of `POST /stacks/preview` or `PUT …/preview`. */
export interface PlannedResource {
    resource_name: string;
    resource_type: string;
    path?: string[];
    reason?: string;
    changes?: Change[];
    is_certain?: boolean;
    is_kept?: boolean;
    is_refused?: boolean;
    differences?: { property: string }[];
    written?: Source | null;
}

export type Category = "added" | "updated" | "replaced" | "deleted" | "unchanged";

export interface UpdateDocument {
    resource_changes: Partial<Record<Category, PlannedResource[]>>;
}

type Listed = PlannedResource | Listed[];

export interface CreationDocument {
    stack: { resources: Listed[]; nested_stacks: PlannedResource[] };
}

export interface PlannedStep {
    path: readonly string[];
    type: string;
    step: Step;
    reason: string;
    changes: readonly Change[];
    isCertain: boolean;
    /** Its object stays when it goes. */
    isKept: boolean;
    /** Where its object differs, and the plan leaves it so. */
    differsIn: readonly string[];
    written: Source | null;
}

export const STEP_WORDS: Record<Step, string> = {
    create: "create",
    update: "update in place",
    replace: "replace",
    delete: "delete",
    refuse: "refused",
    leave: "leave",
};

export const STEP_SIGNS: Record<Step, string> = {
    create: "+",
    update: "~",
    replace: "±",
    delete: "−",
    refuse: "!",
    leave: " ",
};

const STEPS = ["create", "update", "replace", "delete", "refuse"] as const;
const CATEGORIES: Record<Category, Step> = {
    added: "create",
    updated: "update",
    replaced: "replace",
    deleted: "delete",
    unchanged: "leave",
};

export function planOfUpdate(document: UpdateDocument): PlannedStep[] {
    const steps = (Object.keys(CATEGORIES) as Category[]).flatMap((category) =>
        (document.resource_changes[category] ?? []).map((item) =>
            stepOf(item, item.is_refused ? "refuse" : CATEGORIES[category]),
        ),
    );
    return steps.sort((a, b) => byPath(a.path, b.path));
}

export function planOfCreation(document: CreationDocument): PlannedStep[] {
    const flat = (items: readonly Listed[]): PlannedResource[] =>
        items.flatMap((item) => (Array.isArray(item) ? flat(item) : [item]));
    const { resources, nested_stacks: stacks } = document.stack;
    const steps = [...stacks, ...flat(resources)].map((item) => stepOf(item, "create"));
    return steps.sort((a, b) => byPath(a.path, b.path));
}

function stepOf(item: PlannedResource, step: Step): PlannedStep {
    return {
        path: item.path ?? [item.resource_name],
        type: item.resource_type,
        step,
        reason: item.reason ?? "",
        changes: item.changes ?? [],
        isCertain: item.is_certain ?? true,
        isKept: item.is_kept ?? false,
        differsIn: (item.differences ?? []).map((each) => each.property),
        written: item.written ?? null,
    };
}

/** Orders paths as people do: 2 before 10, a stack before what is in it. */
export function byPath(a: readonly string[], b: readonly string[]): number {
    for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
        const order = (a[index] ?? "").localeCompare(b[index] ?? "", "en", { numeric: true });
        if (order) return order;
    }
    return a.length - b.length;
}

export type StepCounts = Record<Step, number>;

export function countsOf(steps: readonly PlannedStep[]): StepCounts {
    const counts: StepCounts = {
        create: 0,
        update: 0,
        replace: 0,
        delete: 0,
        refuse: 0,
        leave: 0,
    };
    for (const each of steps) counts[each.step] += 1;
    return counts;
}

/** "2 to create, 1 to replace", for a button. */
export const changesText = (counts: StepCounts): string => countsText({ ...counts, leave: 0 });

/** "2 to create, 1 to replace, 12 unchanged". */
export function countsText(counts: StepCounts): string {
    const words = STEPS.filter((step) => counts[step]).map((step) => {
        const count = counts[step].toLocaleString("en");
        return step === "refuse" ? `${count} refused` : `${count} to ${STEP_WORDS[step]}`;
    });
    if (counts.leave) words.push(`${counts.leave.toLocaleString("en")} unchanged`);
    return words.join(", ") || "nothing in it";
}

/** Whether anything that exists is lost. */
export const isDestructive = (counts: StepCounts): boolean =>
    counts.replace + counts.delete > 0;

export const hasChanges = (counts: StepCounts): boolean =>
    STEPS.some((step) => counts[step] > 0);

/** The file and line as people write them. */
export function placeOf(source: Source): string {
    if (!source.line) return source.file;
    return source.file.includes(" ")
        ? `${source.file}, line ${source.line}`
        : `${source.file}:${source.line}`;
}

export function sourceText(source: Source): string {
    const place = placeOf(source);
    switch (source.kind) {
        case "parameter":
            return `the parameter ${source.name}`;
        case "environment":
            return `${source.name} in ${place}`;
        case "default":
            return `the default of ${source.name}, ${place}`;
        case "resource":
            return `the resource ${source.name}, ${place}`;
        case "file":
            return `the file ${source.name}, ${place}`;
        default:
            return place;
    }
}

/** Where a value was decided: parameters, files and resources, else the outermost template. */
export function rootsOf(sources: readonly Source[]): string[] {
    const outside = sources.filter((each) => each.kind !== "template").slice(0, 3);
    return (outside.length ? outside : sources.slice(-1)).map(sourceText);
}

export interface Difference {
    name: string;
    old: string;
    new: string;
}

/** What differs between two maps, level by level; any other two values as they are. */
export function differencesOf(name: string, old: unknown, now: unknown): Difference[] {
    if (!isMap(old) || !isMap(now)) return [{ name, old: valueText(old), new: valueText(now) }];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
        .filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]))
        .flatMap((key) => differencesOf(`${name}.${key}`, old[key], now[key]));
}

const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);

const LONGEST = 200;

export function valueText(value: unknown): string {
    if (value === null || value === undefined) return "nothing";
    const text = typeof value === "string" ? value || '""' : JSON.stringify(value);
    return text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length})` : text;
}

/** Steps that are shown as one: members of a group to which the same happens. */
export interface FoldedStep {
    /** Names that lead to all that it stands for: `group`, `0-19`, `server`. */
    path: readonly string[];
    step: PlannedStep;
    count: number;
}

interface Node {
    name: string;
    steps: PlannedStep[];
    children: Map<string, Node>;
}

const FEWEST = 3;

/** What happens, without what stays; alike members of groups are shown once unless `all`. */
export function foldedSteps(steps: readonly PlannedStep[], all = false): FoldedStep[] {
    const top: Node = { name: "", steps: [], children: new Map() };
    for (const step of steps) {
        let node = top;
        for (const name of step.path) {
            let next = node.children.get(name);
            if (!next) {
                next = { name, steps: [], children: new Map() };
                node.children.set(name, next);
            }
            node = next;
        }
        node.steps.push(step);
    }
    const found: FoldedStep[] = [];
    const walk = (node: Node, path: readonly string[], count: number): void => {
        for (const family of familiesOf(node, all)) {
            const first = family[0];
            if (!first) continue;
            const here = [...path, family.length === 1 ? first.name : namesOf(family)];
            const times = count * family.length;
            for (const step of first.steps)
                if (step.step !== "leave") found.push({ path: here, step, count: times });
            walk(first, here, times);
        }
    };
    walk(top, [], 1);
    return found;
}

function familiesOf(node: Node, all: boolean): Node[][] {
    const children = [...node.children.values()];
    if (all) return children.map((child) => [child]);
    const isGroup = node.steps.some((step) => step.type.endsWith("Group"));
    const families = new Map<string, Node[]>();
    for (const child of children) {
        const isMember = isGroup || /^\d+$/.test(child.name);
        const key = isMember ? `=${alike(child)}` : child.name;
        families.set(key, [...(families.get(key) ?? []), child]);
    }
    return [...families.values()].flatMap((family) =>
        family.length >= FEWEST ? [family] : family.map((child) => [child]),
    );
}

/** What is the same for two members that are shown as one. */
function alike(node: Node): string {
    const own = node.steps.map(({ path: _, written: __, ...rest }) => rest);
    const below = [...node.children.values()].map((child) => [child.name, alike(child)]);
    return JSON.stringify([own, below]);
}

/** "0-19" or "0-3,7" for numbers, "(12 members)" for other names. */
function namesOf(members: readonly Node[]): string {
    if (!members.every((member) => /^\d+$/.test(member.name)))
        return `(${members.length} members)`;
    const runs: [number, number][] = [];
    for (const number of members.map((each) => Number(each.name)).sort((a, b) => a - b)) {
        const last = runs[runs.length - 1];
        if (last && number === last[1] + 1) last[1] = number;
        else runs.push([number, number]);
    }
    return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
