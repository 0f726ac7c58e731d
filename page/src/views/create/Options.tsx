/** Name, tags, time limit, and what happens after a failure. */
import { useId } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { stackNameOf } from "../../model/files";
import type { Draft } from "./draft";

export function Options({ draft }: { draft: Draft }) {
    const id = useId();
    return (
        <section class="create-part" aria-label="Options">
            <h2>Options</h2>
            <div class="create-fields">
                {!draft.at && (
                    <Text
                        label="Name of the stack"
                        of={draft.name}
                        draft={draft}
                        placeholder={stackNameOf(draft.gathered.value?.template || "stack")}
                        hint="A letter, then letters, digits, _ . and -"
                    />
                )}
                <Text
                    label="Tags"
                    of={draft.tags}
                    draft={draft}
                    hint="With commas between them"
                />
                <Text
                    label="Time limit in minutes"
                    of={draft.minutes}
                    draft={draft}
                    isNumber
                    hint="Left empty: the server's own limit"
                />
                <div class="create-check">
                    <input
                        id={id}
                        type="checkbox"
                        checked={draft.rollsBack.value}
                        onChange={(event) =>
                            (draft.rollsBack.value = event.currentTarget.checked)
                        }
                    />
                    <label for={id}>
                        Roll back if it fails{" "}
                        <span class="muted">
                            (otherwise it stays as it is then, and can be tried again)
                        </span>
                    </label>
                </div>
            </div>
        </section>
    );
}

interface TextProps {
    label: string;
    of: Signal<string>;
    draft: Draft;
    hint: string;
    placeholder?: string;
    isNumber?: boolean;
}

function Text({ label, of, draft, hint, placeholder = "", isNumber = false }: TextProps) {
    const id = useId();
    return (
        <div class="field create-field">
            <label for={id}>{label}</label>
            <input
                id={id}
                class="input"
                inputMode={isNumber ? "numeric" : "text"}
                placeholder={placeholder}
                value={of.value}
                aria-describedby={`${id}-hint`}
                onInput={(event) => {
                    of.value = event.currentTarget.value;
                    draft.plan.value = null;
                }}
            />
            <div class="create-hints muted" id={`${id}-hint`}>
                {hint}
            </div>
        </div>
    );
}
