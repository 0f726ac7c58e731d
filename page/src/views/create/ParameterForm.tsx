/** Parameters as a form: groups, labels, constraints; hidden ones as password fields. */
import { useId } from "preact/hooks";
import { faultOf } from "../../model/parameters";
import type { ParameterField } from "../../model/parameters";
import { Button } from "../../parts/Button";
import type { Draft } from "./draft";

export function ParameterForm({ draft }: { draft: Draft }) {
    const groups = draft.form.value;
    if (groups.length === 0) return <p class="muted">The template asks for nothing.</p>;
    return (
        <>
            {groups.map((group, index) => (
                <fieldset class="create-group" key={index}>
                    {group.label && <legend>{group.label}</legend>}
                    {group.description && <p class="muted">{group.description}</p>}
                    <div class="create-fields">
                        {group.fields.map((field) => (
                            <Field key={field.name} draft={draft} field={field} />
                        ))}
                    </div>
                </fieldset>
            ))}
        </>
    );
}

function Field({ draft, field }: { draft: Draft; field: ParameterField }) {
    const id = useId();
    const value = draft.values.value[field.name];
    const isTouched = value !== undefined;
    const fault = isTouched || draft.showsFaults.value ? faultOf(field, value) : "";
    const isCleared = draft.cleared.value.has(field.name);
    const now = isCleared ? clearedText(field) : fallbackText(field);
    const hints = [field.description, ...(fault ? [] : field.constraints.map(sentence))].filter(
        Boolean,
    );
    return (
        <div class="field create-field">
            <label for={id}>
                {field.label}
                {field.isRequired && <span class="create-required"> (needed)</span>}
                {field.label !== field.name && <code class="muted"> {field.name}</code>}
            </label>
            <div class="create-control">
                <Control draft={draft} field={field} id={id} isWrong={!!fault} />
                {field.below && (
                    <Button
                        aria-label={isCleared ? `Keep ${field.label}` : `Clear ${field.label}`}
                        title={
                            isCleared
                                ? "Keep the value that it has"
                                : "Drop its value: environments and defaults count again"
                        }
                        onClick={() => draft.clear(field.name, !isCleared)}
                    >
                        {isCleared ? "Keep" : "Clear"}
                    </Button>
                )}
            </div>
            <div class="create-hints" id={`${id}-hints`}>
                {fault && <span class="failed">{fault} </span>}
                {hints.join(" ")}
                {now && <span class="muted"> {now}</span>}
            </div>
        </div>
    );
}

const sentence = (text: string): string => {
    const first = text.charAt(0).toUpperCase() + text.slice(1);
    return first.endsWith(".") ? first : `${first}.`;
};

function fallbackText(field: ParameterField): string {
    const { fallbackFrom, isHidden } = field;
    if (!fallbackFrom) return "";
    const value = isHidden ? "a hidden value" : field.fallback || "empty";
    if (fallbackFrom === "stack") return `Now ${value}; left empty, it stays.`;
    return `Left empty: ${value} (${FROM[fallbackFrom]}).`;
}

function clearedText(field: ParameterField): string {
    if (!field.below) return "";
    const value = field.isHidden ? "a hidden value" : field.below.value || "empty";
    return `Cleared: ${value} counts again (${FROM[field.below.from]}).`;
}

const FROM = {
    "": "",
    default: "the default",
    environment: "from an environment",
    stack: "as it is",
} as const;

interface ControlProps {
    draft: Draft;
    field: ParameterField;
    id: string;
    isWrong: boolean;
}

function Control({ draft, field, id, isWrong }: ControlProps) {
    const value = draft.values.value[field.name] ?? "";
    const common = {
        id,
        class: "input",
        "aria-invalid": isWrong,
        "aria-describedby": `${id}-hints`,
        "aria-required": field.isRequired,
        disabled: draft.cleared.value.has(field.name),
    };
    const placeholder = field.isHidden || common.disabled ? "" : field.fallback;
    const set = (event: { currentTarget: { value: string } }): void =>
        draft.set(field.name, event.currentTarget.value);
    if (field.control === "choice" || field.control === "flag") {
        const choices = field.control === "flag" ? ["true", "false"] : field.choices;
        return (
            <select {...common} value={value} onChange={set}>
                <option value="">
                    {field.isRequired
                        ? "Choose one"
                        : `${field.fallback} (${FROM[field.fallbackFrom]})`}
                </option>
                {choices.map((choice) => (
                    <option key={choice} value={choice}>
                        {choice}
                    </option>
                ))}
            </select>
        );
    }
    if (field.control === "lines")
        return (
            <textarea
                {...common}
                class="input mono"
                rows={4}
                spellcheck={false}
                placeholder={placeholder}
                value={value}
                onInput={set}
            />
        );
    if (field.control === "password")
        return (
            <input
                {...common}
                type="password"
                autocomplete="new-password"
                value={value}
                onInput={set}
            />
        );
    return (
        <input
            {...common}
            type="text"
            inputMode={field.control === "number" ? "decimal" : "text"}
            autocomplete="off"
            placeholder={placeholder}
            value={value}
            onInput={set}
        />
    );
}
