/** Why a resource is as it is: the chain of causes, each one click away. */
import { explain } from "../../api/resources";
import type { At } from "../../api/stacks";
import type { Source } from "../../api/types";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { select, stackHref } from "../../state/route";
import type { PartProps } from "./Overview";

export function Why({ store, node }: PartProps) {
    const at = { name: node.stack.name, id: node.stack.id };
    const key = `${node.key} ${node.status} ${node.updated}`;
    const causes = useLoaded((signal) => explain(at, node.name, signal), key);
    if (causes.error) return <ErrorBox error={causes.error} onRetry={causes.reload} />;
    if (!causes.data) return <Loading what="Causes" />;
    const above = node.stack.owner?.path ?? [];
    return (
        <ol class="why">
            {causes.data.map((cause, index) => {
                const key = [...above, ...cause.path].join("/");
                return (
                    <li key={index} class={`why-level-${Math.min(cause.level, 8)}`}>
                        <p>{cause.text}</p>
                        <p class="muted">
                            {cause.path.length > 0 && key !== node.key && (
                                <button type="button" class="link" onClick={() => select(key)}>
                                    {cause.path.join(" › ")}
                                </button>
                            )}{" "}
                            {cause.source && <Place source={cause.source} at={store.at} />}
                        </p>
                    </li>
                );
            })}
        </ol>
    );
}

/** Where something is written, as a way to it. */
function Place({ source, at }: { source: Source; at: At }) {
    const query: Record<string, string> = {};
    if (source.file) query["file"] = source.file;
    if (source.line) query["line"] = String(source.line);
    return (
        <a class="mono" href={stackHref(at, "template", query)}>
            {placeOf(source)}
        </a>
    );
}

function placeOf(source: Source): string {
    const place = source.file
        ? `${source.file}${source.line ? `:${source.line}` : ""}`
        : source.kind;
    return source.name ? `${place} (${source.kind} ${source.name})` : place;
}
