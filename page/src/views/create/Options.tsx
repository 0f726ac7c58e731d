/** Name, tags, time limit, and what happens after a failure. */
import { useId } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { stackNameOf } from "../../model/files";
import type { Draft } from "./draft";

export function Options({ draft }: { draft: Draft }) {
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
                <Check
                    label="Roll back if it fails"
                    hint="(otherwise it stays as it is then, and can be tried again)"
                    of={draft.rollsBack}
                    draft={draft}
                />
                {draft.at && (
                    <Check
                        label="Converge"
                        hint="(read the objects, and bring back what others have changed)"
                        of={draft.converges}
                        draft={draft}
                    />
                )}
            </div>
        </section>
    );
}

interface CheckProps {
    label: string;
    hint: string;
    of: Signal<boolean>;
    draft: Draft;
}

function Check({ label, hint, of, draft }: CheckProps) {
    const id = useId();
    return (
        <div class="create-check">
            <input
                id={id}
                type="checkbox"
                checked={of.value}
                onChange={(event) => {
                    of.value = event.currentTarget.checked;
                    draft.plan.value = null;
                }}
            />
            <label for={id}>
                {label} <span class="muted">{hint}</span>
            </label>
        </div>
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
