/** How far the resources of a stack are, as a bar of parts and in words. */
import type { Counts } from "../model/tree";

const ORDER = ["failed", "done", "running", "waiting"] as const;

export function Progress({ counts }: { counts: Counts }) {
    const total = counts.total || 1;
    const words = `${counts.done} of ${counts.total} complete${counts.failed ? `, ${counts.failed} failed` : ""}`;
    return (
        <span class="progress" role="img" aria-label={words} title={words}>
            {ORDER.map((tone) => (
                <i
                    key={tone}
                    class={tone}
                    style={{ width: `${(100 * counts[tone]) / total}%` }}
                />
            ))}
        </span>
    );
}
