/** A stack out of what `abandon` wrote: objects that exist are managed again. */
import { useId, useRef, useState } from "preact/hooks";
import { adoptStack } from "../../api/operations";
import { adoptionOf } from "../../model/adoption";
import type { Adoption } from "../../model/adoption";
import type { LooseFile } from "../../model/files";
import { Button } from "../../parts/Button";
import { ErrorBox } from "../../parts/Messages";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { navigate, route, sectionHref } from "../../state/route";
import { readChosen, readDropped } from "../create/reading";
import "../create/create.css";

type Row = Adoption["resources"][number];

const columns: Column<Row>[] = [
    { id: "path", title: "Resource", sort: (row) => row.path, cell: (row) => row.path },
    { id: "type", title: "Type", sort: (row) => row.type, cell: (row) => row.type },
    {
        id: "object",
        title: "Its object",
        cell: (row) =>
            row.isNested ? (
                <span class="muted">a nested stack, made anew</span>
            ) : (
                <code>{row.physicalId || "none"}</code>
            ),
    },
];

export default function AdoptView() {
    const [file, setFile] = useState<LooseFile | null>(null);
    const [name, setName] = useState("");
    const [isOver, setOver] = useState(false);
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const input = useRef<HTMLInputElement>(null);
    const id = useId();
    const found = file && adoptionOf(file.text);
    const take = ([first]: LooseFile[]): void => {
        if (!first) return;
        setFile(first);
        setName(adoptionOf(first.text)?.name ?? "");
        setError(null);
    };
    const adopt = async (): Promise<void> => {
        if (!file) return;
        setBusy(true);
        setError(null);
        try {
            const stack = await adoptStack(name, file.text);
            const rest = [name, stack, "tree"];
            navigate({ project: route.value.project, section: "stacks", rest, query: {} });
        } catch (reason) {
            setError(reason);
            setBusy(false);
        }
    };
    const count = found?.resources.length ?? 0;
    return (
        <div class="page-body create">
            <h1>Adopt a stack</h1>
            <p>
                <em>Abandon</em> forgets a stack, leaves its objects where they are, and writes
                a document. With the document they become a stack again: nothing is made and
                nothing is changed.
            </p>
            <div
                class={`create-target ${isOver ? "over" : ""}`}
                onDragOver={(event) => {
                    event.preventDefault();
                    setOver(true);
                }}
                onDragLeave={() => setOver(false)}
                onDrop={(event) => {
                    event.preventDefault();
                    setOver(false);
                    if (event.dataTransfer) void readDropped(event.dataTransfer).then(take);
                }}
            >
                <section class="create-part" aria-label="Document">
                    <div class="create-drop">
                        <p>
                            {file ? (
                                <code>{file.name}</code>
                            ) : (
                                <strong>Drop the document here</strong>
                            )}
                        </p>
                        <Button onClick={() => input.current?.click()}>
                            {file ? "Choose another" : "Choose the document"}
                        </Button>
                        <input
                            ref={input}
                            type="file"
                            hidden
                            aria-label="Document"
                            onChange={(event) => {
                                const { files } = event.currentTarget;
                                if (files) void readChosen(files).then(take);
                            }}
                        />
                    </div>
                    {file && !found && (
                        <p class="failed" role="alert">
                            This is not what abandon writes: a JSON document with a template and
                            resources. To make a new stack of a template,{" "}
                            <a href={sectionHref("create")}>create one</a>.
                        </p>
                    )}
                </section>
                {found && (
                    <section class="create-part" aria-label="What is adopted">
                        <h2>
                            {count} {count === 1 ? "resource" : "resources"}
                        </h2>
                        <Table
                            label="Resources"
                            columns={columns}
                            rows={found.resources}
                            keyOf={(row) => row.path}
                            initial="path"
                        />
                        <div class="field create-field adopt-name">
                            <label for={id}>Name of the stack</label>
                            <input
                                id={id}
                                class="input"
                                value={name}
                                onInput={(event) => setName(event.currentTarget.value)}
                            />
                        </div>
                        {error !== null && <ErrorBox error={error} />}
                        <div class="row create-buttons">
                            <Button
                                kind="primary"
                                disabled={isBusy || !name}
                                onClick={() => void adopt()}
                            >
                                {isBusy ? "Asking …" : `Adopt ${name}`}
                            </Button>
                            <a class="button" href={sectionHref("stacks")}>
                                Leave it
                            </a>
                        </div>
                    </section>
                )}
            </div>
        </div>
    );
}
