/** One resource, beside the view that led to it. */
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { StatusBadge } from "../../parts/Status";
import { select } from "../../state/route";
import type { StackStore } from "../../state/stack";
import "./resource.css";

export function ResourcePanel({ store, selected }: { store: StackStore; selected: string }) {
    void store.revision.value;
    const node = store.tree?.nodes.get(selected);
    return (
        <aside class="panel" aria-label={`Resource ${selected}`}>
            <header class="panel-header">
                <h2 class="stretch">{node?.name ?? selected}</h2>
                <Button kind="quiet" aria-label="Close the panel" onClick={() => select("")}>
                    <Icon name="cross" />
                </Button>
            </header>
            {node && (
                <p>
                    <StatusBadge status={node.status} hook={node.hook} />{" "}
                    <code>{node.type}</code>
                </p>
            )}
        </aside>
    );
}
