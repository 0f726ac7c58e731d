/** A text with its lines numbered, for a change on the spot. */
import { useEffect, useRef } from "preact/hooks";

interface Props {
    name: string;
    text: string;
    /** Where to begin, from 1. */
    line: number;
    onChange: (text: string) => void;
}

export function Editor({ name, text, line, onChange }: Props) {
    const area = useRef<HTMLTextAreaElement>(null);
    const numbers = useRef<HTMLPreElement>(null);
    const count = text.split("\n").length;
    useEffect(() => {
        const element = area.current;
        if (!element || !line) return;
        const lines = element.value.split("\n");
        const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
        element.focus();
        element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
        const height = element.scrollHeight / Math.max(1, lines.length);
        element.scrollTop = Math.max(0, (line - 4) * height);
    }, [name, line]);
    return (
        <div class="create-editor">
            <pre class="create-numbers" aria-hidden="true" ref={numbers}>
                {Array.from({ length: count }, (_, index) => index + 1).join("\n")}
            </pre>
            <textarea
                ref={area}
                aria-label={`Text of ${name}`}
                value={text}
                rows={Math.min(24, Math.max(8, count + 1))}
                spellcheck={false}
                wrap="off"
                onInput={(event) => onChange(event.currentTarget.value)}
                onScroll={(event) => {
                    if (numbers.current)
                        numbers.current.scrollTop = event.currentTarget.scrollTop;
                }}
            />
        </div>
    );
}
