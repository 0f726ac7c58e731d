/** Every resource of a stack, through all nesting. */
import { everyResource } from "../../model/tree";
import { Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { select } from "../../state/route";
import type { StackStore } from "../../state/stack";

export default function TreeView({ store }: { store: StackStore }) {
    void store.revision.value;
    if (!store.tree) return <Loading what="Tree" />;
    return (
        <ul class="tree">
            {[...everyResource(store.tree.root)].map((node) => (
                <li key={node.key}>
                    <button type="button" class="button quiet" onClick={() => select(node.key)}>
                        {node.path.join("/")}
                    </button>{" "}
                    <StatusBadge status={node.status} hook={node.hook} />
                </li>
            ))}
        </ul>
    );
}
