/** A text with numbered lines; a line can be named by the address. */
import { useEffect, useRef } from "preact/hooks";

export function TextView({
    text,
    label,
    line = 0,
}: {
    text: string;
    label: string;
    line?: number;
}) {
    const marked = useRef<HTMLLIElement>(null);
    useEffect(() => marked.current?.scrollIntoView({ block: "center" }), [line, text]);
    return (
        <ol class="text-view" tabIndex={0} aria-label={label}>
            {text.split("\n").map((each, index) => (
                <li
                    key={index}
                    {...(index + 1 === line
                        ? { ref: marked, class: "marked", "aria-current": "true" as const }
                        : {})}
                >
                    {each || " "}
                </li>
            ))}
        </ol>
    );
}
