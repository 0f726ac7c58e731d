/** The inputs of a workflow as a form. */

export interface WorkflowInput {
    name: string;
    isRequired: boolean;
    /** What it is if nothing is said, as users write it. */
    fallback: string;
}

interface Interface {
    input?: (string | Record<string, unknown>)[];
}

/** The inputs of an `interface`: names, or maps of a name to its default; as JSON, or read. */
export function inputsOf(written: string | Interface): WorkflowInput[] {
    const found =
        typeof written === "string" ? (JSON.parse(written || "{}") as Interface) : written;
    return (found.input ?? []).flatMap((each): WorkflowInput[] =>
        typeof each === "string"
            ? [{ name: each, isRequired: true, fallback: "" }]
            : Object.entries(each).map(([name, value]) => ({
                  name,
                  isRequired: false,
                  fallback: textOfInput(value),
              })),
    );
}

/** A value as users write it: a text in quotes only if it would be read as something else. */
export function textOfInput(value: unknown): string {
    const isPlain = typeof value === "string" && value !== "" && valueOf(value) === value;
    return isPlain ? value : (JSON.stringify(value) ?? "");
}

/** What a user wrote: JSON if it is JSON, else the text itself. */
export function valueOf(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return text;
    }
}

/** What is sent: what was said; what is left empty has its default. */
export function inputToSend(
    inputs: readonly WorkflowInput[],
    values: Readonly<Record<string, string>>,
): Record<string, unknown> {
    const said = inputs.filter((each) => (values[each.name] ?? "") !== "");
    return Object.fromEntries(said.map(({ name }) => [name, valueOf(values[name] ?? "")]));
}
