/** Loose files of a user: their names, and how they go together with those a stack has. */

export interface LooseFile {
    /** A path, or the address under which the stack has it. */
    name: string;
    text: string;
    /** `stack`: as the stack has it; `user`: dropped, chosen, written or changed. */
    from: "stack" | "user";
}

/** Files with the new ones laid over: what is the same file takes the place of the old. */
export function overlaid(
    files: readonly LooseFile[],
    added: readonly LooseFile[],
): LooseFile[] {
    const result = [...files];
    for (const file of added) {
        const at = indexOfSame(result, file.name);
        const before = result[at];
        if (before) result[at] = { ...file, name: before.name };
        else result.push(file);
    }
    return result;
}

/** The same path; else the only file of the stack whose path ends with the new name. */
function indexOfSame(files: readonly LooseFile[], name: string): number {
    const exact = files.findIndex((each) => each.name === name);
    if (exact >= 0) return exact;
    const tails = files.filter(
        (each) =>
            each.from === "stack" && (endsWith(each.name, name) || endsWith(name, each.name)),
    );
    const [only] = tails;
    return tails.length === 1 && only ? files.indexOf(only) : -1;
}

const endsWith = (long: string, short: string): boolean => long.endsWith(`/${short}`);

/** The part of the path that all names have in common is left out where files are shown. */
export function shownNames(names: readonly string[]): Map<string, string> {
    const local = names.filter((name) => !/^https?:/.test(name));
    const folders = local.map((name) => name.split("/").slice(0, -1));
    let common = folders[0] ?? [];
    for (const folder of folders) {
        let length = 0;
        while (length < common.length && common[length] === folder[length]) length += 1;
        common = common.slice(0, length);
    }
    const prefix = common.length ? `${common.join("/")}/` : "";
    return new Map(
        names.map((name) => [name, name.startsWith(prefix) ? name.slice(prefix.length) : name]),
    );
}

/** The name that a stack gets by default: that of its template. */
export function stackNameOf(template: string): string {
    const stem = (template.split("/").pop() ?? "").split(".")[0] ?? "";
    const name = stem.replace(/[^A-Za-z0-9_-]/g, "-");
    if (/^[A-Za-z]/.test(name)) return name;
    return `stack-${name}`.replace(/-+$/, "");
}

/** A file that is not text is sent in base64, as `get_file` of the command does. */
export function textOfBytes(bytes: Uint8Array): string {
    try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
        let binary = "";
        for (const byte of bytes) binary += String.fromCharCode(byte);
        return `${(btoa(binary).match(/.{1,76}/g) ?? []).join("\n")}\n`;
    }
}

/** Folders and files that no template needs, however they came into the dropped folder. */
export const isIgnored = (path: string): boolean =>
    /(^|\/)(\.git|\.svn|node_modules|__pycache__|\.DS_Store|\.venv)(\/|$)/.test(path);

const STARS = "******";

/**
 * An environment as the API shows it, without the hidden values: they are stars there, which are no
 * values. The API writes such a file as JSON; any other text is returned as it is.
 */
export function withoutStars(text: string): string {
    if (!text.includes(STARS)) return text;
    let data: unknown;
    try {
        data = JSON.parse(text);
    } catch {
        return text;
    }
    if (typeof data !== "object" || data === null) return text;
    const sections = Object.entries(data as Record<string, unknown>).map(([name, section]) => {
        if (typeof section !== "object" || section === null || Array.isArray(section))
            return [name, section];
        const values = Object.entries(section).filter(([, value]) => value !== STARS);
        return [name, Object.fromEntries(values)];
    });
    return JSON.stringify(Object.fromEntries(sections));
}
