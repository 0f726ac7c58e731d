import { useState } from "preact/hooks";
import { Icon } from "./Icon";

export function CopyButton({ text, label }: { text: string; label: string }) {
    const [isDone, setDone] = useState(false);
    const copy = (): void => {
        void navigator.clipboard.writeText(text).then(() => {
            setDone(true);
            window.setTimeout(() => setDone(false), 1500);
        });
    };
    return (
        <button
            type="button"
            class="button quiet small"
            aria-label={label}
            title={label}
            onClick={copy}
        >
            <Icon name={isDone ? "check" : "copy"} />
        </button>
    );
}
