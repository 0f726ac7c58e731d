/** Files out of a drop or a file dialog, with their paths. */
import { isIgnored, textOfBytes } from "../../model/files";
import type { LooseFile } from "../../model/files";

const MOST = 2000;

async function loose(file: File, path: string): Promise<LooseFile> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return { name: path, text: textOfBytes(bytes), from: "user" };
}

export async function readChosen(files: FileList): Promise<LooseFile[]> {
    const all = [...files].map((file) => ({
        file,
        path: file.webkitRelativePath || file.name,
    }));
    return readAll(all);
}

export async function readDropped(transfer: DataTransfer): Promise<LooseFile[]> {
    // Entries are only there until the handler of the event has returned.
    const items = [...transfer.items].filter((item) => item.kind === "file");
    const roots = items.map((item) => ({
        entry: item.webkitGetAsEntry(),
        file: item.getAsFile(),
    }));
    const found: { file: File; path: string }[] = [];
    for (const { entry, file } of roots)
        if (entry) await walk(entry, found);
        else if (file) found.push({ file, path: file.name });
    return readAll(found);
}

async function readAll(all: { file: File; path: string }[]): Promise<LooseFile[]> {
    const wanted = all.filter(({ path }) => !isIgnored(path)).slice(0, MOST);
    return Promise.all(wanted.map(({ file, path }) => loose(file, path)));
}

async function walk(
    entry: FileSystemEntry,
    found: { file: File; path: string }[],
): Promise<void> {
    const path = entry.fullPath.replace(/^\//, "");
    if (isIgnored(path) || found.length > MOST) return;
    if (entry.isFile) {
        const file = await new Promise<File>((resolve, reject) =>
            (entry as FileSystemFileEntry).file(resolve, reject),
        );
        found.push({ file, path });
        return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
            reader.readEntries(resolve, reject),
        );
        if (some.length === 0) return;
        for (const each of some) await walk(each, found);
    }
}
