/** A type that is a template is named by its address: of that the file's name is enough for people. */
export function shortType(type: string): string {
    if (!type.includes("/")) return type;
    return type.slice(type.replace(/\/+$/, "").lastIndexOf("/") + 1);
}
