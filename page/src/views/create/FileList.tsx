/** The files: what each is for, the order of environments, and what is missing. */
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { shownNames } from "../../model/files";
import type { LooseFile } from "../../model/files";
import type { Gathered } from "../../api/recipes";
import type { Draft } from "./draft";

interface Props {
    draft: Draft;
    editing: string;
    onEdit: (name: string, line?: number) => void;
}

export function FileList({ draft, editing, onEdit }: Props) {
    const files = draft.files.value;
    const gathered = draft.gathered.value;
    const shown = shownNames(files.map((each) => each.name));
    const listed = gathered?.environment_files ?? [];
    const used = new Set(gathered?.used ?? []);
    const ordered = [...files].sort(
        (a, b) => rank(a, gathered) - rank(b, gathered) || order(listed, a, b),
    );
    return (
        <ul class="create-files" aria-label="Files">
            {ordered.map((file) => (
                <li key={file.name} class={file.name === editing ? "editing" : ""}>
                    <button
                        type="button"
                        class="create-name"
                        aria-expanded={file.name === editing}
                        title={file.name}
                        onClick={() => onEdit(file.name === editing ? "" : file.name)}
                    >
                        <Icon name={file.name === editing ? "down" : "right"} size={11} />
                        {shown.get(file.name)}
                    </button>
                    <Role draft={draft} file={file} isUsed={used.has(file.name)} />
                    {draft.at && file.from === "user" && <span class="chip">changed</span>}
                    <span class="stretch" />
                    <Environment draft={draft} file={file} />
                    <Button
                        kind="quiet"
                        aria-label={`Take ${file.name} away`}
                        title="Take it away"
                        onClick={() => draft.remove(file.name)}
                    >
                        <Icon name="cross" />
                    </Button>
                </li>
            ))}
        </ul>
    );
}

function rank(file: LooseFile, gathered: Gathered | null): number {
    if (file.name === gathered?.template) return 0;
    return gathered?.environment_files.includes(file.name) ? 1 : 2;
}

function order(listed: readonly string[], a: LooseFile, b: LooseFile): number {
    return listed.indexOf(a.name) - listed.indexOf(b.name);
}

function Role({ draft, file, isUsed }: { draft: Draft; file: LooseFile; isUsed: boolean }) {
    const gathered = draft.gathered.value;
    const kind = gathered?.kinds[file.name];
    const place = gathered?.environment_files.indexOf(file.name) ?? -1;
    if (gathered?.template === file.name)
        return <span class="chip create-template">template</span>;
    if (place >= 0)
        return (
            <span class="chip">
                environment {gathered && gathered.environment_files.length > 1 ? place + 1 : ""}
            </span>
        );
    if (isUsed)
        return <span class="chip">{kind === "template" ? "nested template" : "file"}</span>;
    return (
        <span class="row">
            <span class="muted">not used</span>
            {kind === "template" && (
                <button
                    type="button"
                    class="create-link"
                    onClick={() => draft.chooseTemplate(file.name)}
                >
                    Use as the template
                </button>
            )}
        </span>
    );
}

/** Environments: later ones win, so their order can be changed. */
function Environment({ draft, file }: { draft: Draft; file: LooseFile }) {
    const gathered = draft.gathered.value;
    if (!gathered || gathered.kinds[file.name] !== "environment") return null;
    const listed = gathered.environment_files;
    const place = listed.indexOf(file.name);
    const move = (by: number): void => {
        const next = listed.filter((name) => name !== file.name);
        next.splice(place + by, 0, file.name);
        draft.chooseEnvironments(next);
    };
    // The place of an environment that the stack has is kept by the server.
    const canMove = (by: number): boolean => {
        const other = draft.files.value.find((each) => each.name === listed[place + by]);
        return (
            other !== undefined && (!draft.at || (isNew(draft, file) && isNew(draft, other)))
        );
    };
    return (
        <span class="row create-order">
            {place >= 0 && listed.length > 1 && (
                <>
                    <Button
                        kind="quiet"
                        aria-label={`${file.name} earlier`}
                        title="Earlier: what comes later wins"
                        disabled={!canMove(-1)}
                        onClick={() => move(-1)}
                    >
                        <Icon name="up" />
                    </Button>
                    <Button
                        kind="quiet"
                        aria-label={`${file.name} later`}
                        title="Later: what comes later wins"
                        disabled={!canMove(1)}
                        onClick={() => move(1)}
                    >
                        <Icon name="down" />
                    </Button>
                </>
            )}
            <label>
                <input
                    type="checkbox"
                    checked={place >= 0}
                    aria-label={`Use the environment ${file.name}`}
                    onChange={() =>
                        draft.chooseEnvironments(
                            place >= 0
                                ? listed.filter((name) => name !== file.name)
                                : [...listed, file.name],
                        )
                    }
                />{" "}
                use
            </label>
        </span>
    );
}

function isNew(draft: Draft, file: LooseFile): boolean {
    return !draft.storedEnvironments.includes(file.name);
}

/** What others name and nobody gave: what to drop, and where it is named. */
export function Missing({ draft, onEdit }: Pick<Props, "draft" | "onEdit">) {
    const missing = draft.gathered.value?.missing ?? [];
    if (missing.length === 0) return null;
    return (
        <div class="note-box create-missing" role="status">
            <strong>
                {missing.length === 1 ? "One file is" : `${missing.length} files are`} missing.
                Drop {missing.length === 1 ? "it" : "them"} as well:
            </strong>
            <ul>
                {missing.map((each) => (
                    <li key={each.name}>
                        <code>{each.name}</code>{" "}
                        <span class="muted">
                            named in{" "}
                            <button
                                type="button"
                                class="create-link"
                                onClick={() => onEdit(each.file, each.line ?? 1)}
                            >
                                {each.file}:{each.line}
                            </button>{" "}
                            at {each.path}
                        </span>
                    </li>
                ))}
            </ul>
        </div>
    );
}
