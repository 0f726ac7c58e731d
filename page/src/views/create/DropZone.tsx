/** Takes files: dropped anywhere on the view, chosen, or written on the spot. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import type { Draft } from "./draft";
import { readChosen, readDropped } from "./reading";

const FIRST = `heat_template_version: wallaby
description: A first stack

parameters:
  length:
    type: number
    default: 8
    constraints:
      - range: {min: 1, max: 64}

resources:
  word:
    type: OS::Heat::RandomString
    properties:
      length: {get_param: length}

outputs:
  word:
    value: {get_attr: [word, value]}
`;

/** The whole view is the target: whoever misses the box by a hand's breadth means it too. */
export function DropTarget({ draft, children }: { draft: Draft; children: ComponentChildren }) {
    const [depth, setDepth] = useState(0);
    const hasFiles = (event: DragEvent): boolean =>
        event.dataTransfer?.types.includes("Files") ?? false;
    return (
        <div
            class={`create-target ${depth > 0 ? "over" : ""}`}
            onDragEnter={(event) => hasFiles(event) && setDepth((value) => value + 1)}
            onDragLeave={(event) => hasFiles(event) && setDepth((value) => value - 1)}
            onDragOver={(event) => hasFiles(event) && event.preventDefault()}
            onDrop={(event) => {
                setDepth(0);
                if (!event.dataTransfer || !hasFiles(event)) return;
                event.preventDefault();
                void readDropped(event.dataTransfer).then((files) => draft.add(files));
            }}
        >
            {children}
        </div>
    );
}

export function DropZone({ draft, onEdit }: { draft: Draft; onEdit: (name: string) => void }) {
    const single = useRef<HTMLInputElement>(null);
    const folder = useRef<HTMLInputElement>(null);
    const take = (event: Event): void => {
        const input = event.currentTarget as HTMLInputElement;
        if (!input.files) return;
        void readChosen(input.files).then((files) => {
            draft.add(files);
            input.value = "";
        });
    };
    const write = (): void => {
        const names = new Set(draft.files.value.map((each) => each.name));
        let name = "template.yaml";
        for (let number = 2; names.has(name); number += 1) name = `file-${number}.yaml`;
        draft.add([{ name, text: names.size ? "" : FIRST, from: "user" }]);
        onEdit(name);
    };
    return (
        <div class="create-drop">
            <p>
                <strong>Drop files or a folder here:</strong> the template, environments, and
                what they name.
                {draft.files.value.length === 0 && (
                    <>
                        {" "}
                        Nothing at hand? <em>Write a template</em> begins with one that works.
                    </>
                )}
            </p>
            <div class="row">
                <Button onClick={() => single.current?.click()}>Choose files</Button>
                <Button onClick={() => folder.current?.click()}>Choose a folder</Button>
                <Button onClick={write}>
                    {draft.files.value.length ? "Write a file" : "Write a template"}
                </Button>
            </div>
            <input
                ref={single}
                type="file"
                multiple
                hidden
                aria-label="Files"
                onChange={take}
            />
            <input
                ref={(element) => {
                    folder.current = element;
                    element?.setAttribute("webkitdirectory", "");
                }}
                type="file"
                hidden
                aria-label="Folder"
                onChange={take}
            />
        </div>
    );
}
