/** The parameters of a template as a form: what is asked, in which groups, and what may be said. */

export interface ParameterSchema {
    Type: "String" | "Number" | "Boolean" | "CommaDelimitedList" | "Json";
    Description: string;
    NoEcho: "true" | "false";
    Label: string;
    Default?: unknown;
    /** What the environments say. */
    Value?: unknown;
    Tags?: string[];
    MinLength?: number;
    MaxLength?: number;
    MinValue?: number;
    MaxValue?: number;
    Step?: number;
    Offset?: number;
    AllowedValues?: unknown[];
    AllowedPattern?: string;
    CustomConstraint?: string;
    ConstraintDescription?: string;
}

export interface ValidatedTemplate {
    Description: string;
    Parameters: Record<string, ParameterSchema>;
    ParameterGroups?: { label: string; description: string; parameters: string[] }[];
}

export type Control = "text" | "lines" | "password" | "number" | "choice" | "flag";

export interface ParameterField {
    name: string;
    label: string;
    description: string;
    control: Control;
    isHidden: boolean;
    isRequired: boolean;
    /** What it is if nothing is said, as a text; and who says so. */
    fallback: string;
    fallbackFrom: "" | "default" | "environment" | "stack";
    /** Of a stack's own value: what counts once it is cleared; null if nothing else would. */
    below: { value: string; from: "default" | "environment" } | null;
    choices: readonly string[];
    constraints: readonly string[];
    schema: ParameterSchema;
}

export interface ParameterGroup {
    label: string;
    description: string;
    fields: readonly ParameterField[];
}

/** Groups as the template has them; what is in none comes last. */
export function formOf(
    template: ValidatedTemplate,
    current: Readonly<Record<string, string>> = {},
): ParameterGroup[] {
    const fields = new Map(
        Object.entries(template.Parameters).map(([name, schema]) => [
            name,
            fieldOf(name, schema, current[name]),
        ]),
    );
    const groups: ParameterGroup[] = [];
    for (const group of template.ParameterGroups ?? []) {
        const found: ParameterField[] = [];
        for (const name of group.parameters) {
            const field = fields.get(name);
            if (field) found.push(field);
            fields.delete(name);
        }
        if (found.length)
            groups.push({ label: group.label, description: group.description, fields: found });
    }
    if (fields.size)
        groups.push({
            label: groups.length ? "Other parameters" : "",
            description: "",
            fields: [...fields.values()],
        });
    return groups;
}

function fieldOf(name: string, schema: ParameterSchema, current?: string): ParameterField {
    const isHidden = schema.NoEcho === "true";
    const said = schema.Value ?? schema.Default;
    const fallbackFrom =
        current !== undefined
            ? "stack"
            : schema.Value !== undefined
              ? "environment"
              : schema.Default !== undefined
                ? "default"
                : "";
    return {
        name,
        label: schema.Label || name,
        description: schema.Description,
        control: controlOf(schema, isHidden),
        isHidden,
        isRequired: fallbackFrom === "",
        fallback: current ?? (said === undefined ? "" : textOf(said)),
        fallbackFrom,
        below: belowOf(schema, isHidden, current),
        choices: (schema.AllowedValues ?? []).map(textOf),
        constraints: constraintsOf(schema),
        schema,
    };
}

function belowOf(
    schema: ParameterSchema,
    isHidden: boolean,
    current?: string,
): ParameterField["below"] {
    const said = schema.Value ?? schema.Default;
    if (current === undefined || said === undefined) return null;
    const value = textOf(said);
    // What is the same either way needs no clearing.
    if (!isHidden && value === current) return null;
    return { value, from: schema.Value !== undefined ? "environment" : "default" };
}

function controlOf(schema: ParameterSchema, isHidden: boolean): Control {
    if (isHidden) return "password";
    if (schema.Type === "Boolean") return "flag";
    if (schema.Type === "CommaDelimitedList") return "text";
    if (schema.AllowedValues?.length) return "choice";
    if (schema.Type === "Number") return "number";
    if (schema.Type === "Json") return "lines";
    return typeof schema.Default === "string" && schema.Default.includes("\n")
        ? "lines"
        : "text";
}

/** A value as users write it: lists with commas, maps as JSON. */
export function textOf(value: unknown): string {
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
        return value.join(",");
    return JSON.stringify(value) ?? "";
}

function constraintsOf(schema: ParameterSchema): string[] {
    if (schema.ConstraintDescription) return [schema.ConstraintDescription];
    const words: string[] = [];
    const ofLength = between(schema.MinLength, schema.MaxLength);
    if (ofLength) words.push(`${ofLength} characters`);
    const ofValue = between(schema.MinValue, schema.MaxValue);
    if (ofValue) words.push(ofValue);
    if (schema.Step !== undefined)
        words.push(`in steps of ${schema.Step} from ${schema.Offset ?? 0} on`);
    if (schema.AllowedValues?.length)
        words.push(`one of ${schema.AllowedValues.map(textOf).join(", ")}`);
    if (schema.AllowedPattern) words.push(`must match ${schema.AllowedPattern}`);
    if (schema.CustomConstraint) words.push(`an existing ${schema.CustomConstraint}`);
    return words;
}

function between(least?: number, most?: number): string {
    if (least !== undefined && most !== undefined) return `${least} to ${most}`;
    if (least !== undefined) return `at least ${least}`;
    return most !== undefined ? `at most ${most}` : "";
}

/**
 * What is wrong with a value, or empty. The server has the last word: what only it can judge, such
 * as patterns of Python, is left to it.
 */
export function faultOf(field: ParameterField, value: string | undefined): string {
    if (value === undefined || value === "")
        return field.isRequired ? "A value is needed." : "";
    const { schema } = field;
    if (schema.Type === "Number") {
        const number = Number(value);
        if (Number.isNaN(number)) return "This is not a number.";
        if (isOutside(number, schema.MinValue, schema.MaxValue)) return wanted(field);
    }
    if (schema.Type === "String" && isOutside(value.length, schema.MinLength, schema.MaxLength))
        return wanted(field);
    if (schema.Type === "Json") {
        try {
            JSON.parse(value);
        } catch (error) {
            return `This is not JSON: ${error instanceof Error ? error.message : ""}`;
        }
    }
    if (field.choices.length && schema.Type !== "CommaDelimitedList")
        if (!field.choices.includes(value)) return wanted(field);
    return "";
}

const wanted = (field: ParameterField): string => `Wanted: ${field.constraints.join("; ")}.`;

const isOutside = (value: number, least?: number, most?: number): boolean =>
    (least !== undefined && value < least) || (most !== undefined && value > most);

/** What is sent: only what the user said, of parameters that the template has. */
export function valuesToSend(
    groups: readonly ParameterGroup[],
    values: Readonly<Record<string, string>>,
): Record<string, string> {
    const sent: Record<string, string> = {};
    for (const field of groups.flatMap((group) => group.fields)) {
        const value = values[field.name];
        if (value !== undefined && value !== "") sent[field.name] = value;
    }
    return sent;
}
