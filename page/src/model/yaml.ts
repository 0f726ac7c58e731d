/** Plain data as YAML for reading: maps and lists in blocks, long texts as they are. */

const PLAIN = /^[A-Za-z_][\w ./:()-]*$/;
const WORDS = new Set(["true", "false", "yes", "no", "on", "off", "null", "y", "n", "~"]);

export function yamlOf(value: unknown): string {
    return block(value, 0).replace(/^\n/, "") + "\n";
}

function scalar(value: unknown): string {
    if (typeof value !== "string") return JSON.stringify(value) ?? "null";
    const isPlain =
        PLAIN.test(value) &&
        !WORDS.has(value.toLowerCase()) &&
        !value.endsWith(" ") &&
        !value.endsWith(":") &&
        !value.includes(": ");
    return isPlain ? value : JSON.stringify(value);
}

function block(value: unknown, depth: number): string {
    const pad = "  ".repeat(depth);
    if (Array.isArray(value)) {
        if (value.length === 0) return " []";
        return value.map((each) => `\n${pad}-${inItem(each, depth + 1)}`).join("");
    }
    if (typeof value === "object" && value !== null) {
        const entries = Object.entries(value);
        if (entries.length === 0) return " {}";
        return entries
            .map(([name, each]) => `\n${pad}${scalar(name)}:${block(each, depth + 1)}`)
            .join("");
    }
    if (typeof value === "string" && value.includes("\n") && !/^\s|[^\S\n]\n|\t/.test(value)) {
        const [text, keep] = value.endsWith("\n") ? [value.slice(0, -1), ""] : [value, "-"];
        if (!text.endsWith("\n")) {
            const lines = text.split("\n").map((line) => (line ? `${pad}${line}` : ""));
            return ` |${keep}\n${lines.join("\n")}`;
        }
    }
    return ` ${scalar(value)}`;
}

/** What follows the dash of a list: a map begins on the same line. */
function inItem(value: unknown, depth: number): string {
    const text = block(value, depth);
    return text.startsWith("\n") ? ` ${text.slice(1 + 2 * depth)}` : text;
}
