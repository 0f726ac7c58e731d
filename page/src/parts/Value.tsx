/** Any value of the API: short ones as text, others as JSON. */

export function shownValue(value: unknown): string {
    if (value === null || value === undefined) return "";
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function Value({ value }: { value: unknown }) {
    if (value === null || value === undefined) return <span class="muted">none</span>;
    if (value === "") return <span class="muted">empty</span>;
    const text = shownValue(value);
    return text.includes("\n") ? <pre>{text}</pre> : <code class="value">{text}</code>;
}

/** Names and values; the names in their order. */
export function Facts({ of, none }: { of: Readonly<Record<string, unknown>>; none: string }) {
    const entries = Object.entries(of);
    if (entries.length === 0) return <p class="muted">{none}</p>;
    return (
        <dl class="facts stacked">
            {entries.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                        <Value value={value} />
                    </dd>
                </div>
            ))}
        </dl>
    );
}
