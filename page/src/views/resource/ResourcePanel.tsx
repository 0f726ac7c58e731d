/** One resource, beside the view that led to it. */
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { StatusBadge } from "../../parts/Status";
import { route, select, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { Attributes, Events, Properties, Raw } from "./Details";
import { Overview } from "./Overview";
import { ResourceActions } from "./ResourceActions";
import { Why } from "./Why";
import "./resource.css";

const PARTS = [
    { id: "overview", title: "Overview", View: Overview },
    { id: "properties", title: "Properties", View: Properties },
    { id: "attributes", title: "Attributes", View: Attributes },
    { id: "why", title: "Why", View: Why },
    { id: "events", title: "Events", View: Events },
    { id: "raw", title: "JSON", View: Raw },
] as const;

export function ResourcePanel({ store, selected }: { store: StackStore; selected: string }) {
    void store.revision.value;
    useEffect(() => {
        const close = (event: KeyboardEvent): void => {
            if (event.key === "Escape" && !document.querySelector("dialog[open]")) select("");
        };
        window.addEventListener("keydown", close);
        return () => window.removeEventListener("keydown", close);
    }, []);
    const node = store.tree?.nodes.get(selected);
    const part = PARTS.find((each) => each.id === route.value.query["part"]) ?? PARTS[0];
    return (
        <aside class="panel" aria-label={`Resource ${selected}`}>
            <header class="panel-header">
                <div class="stretch">
                    {node && node.path.length > 1 && (
                        <p class="panel-path">
                            {node.path.slice(0, -1).map((name, index) => (
                                <span key={index}>
                                    <button
                                        type="button"
                                        class="link"
                                        onClick={() =>
                                            select(node.path.slice(0, index + 1).join("/"))
                                        }
                                    >
                                        {name}
                                    </button>
                                    {" › "}
                                </span>
                            ))}
                        </p>
                    )}
                    <h2>{node?.name ?? selected}</h2>
                </div>
                <Button kind="quiet" aria-label="Close the panel" onClick={() => select("")}>
                    <Icon name="cross" />
                </Button>
            </header>
            {!node ? (
                <p class="muted">
                    {store.tree
                        ? "This resource is not there, or no longer."
                        : "Waiting for the tree …"}
                </p>
            ) : (
                <>
                    <p class="row panel-state">
                        <StatusBadge status={node.status} hook={node.hook} />
                        {node.isOld && <span class="chip">old version</span>}
                        {node.isExternal && <span class="chip">external</span>}
                    </p>
                    <ResourceActions store={store} node={node} />
                    <div class="tabs" role="tablist" aria-label="Parts of the resource">
                        {PARTS.map((each) => (
                            <button
                                key={each.id}
                                type="button"
                                role="tab"
                                id={`part-${each.id}`}
                                aria-selected={each === part}
                                aria-controls="part"
                                onClick={() =>
                                    setQuery({ part: each.id === "overview" ? "" : each.id })
                                }
                            >
                                {each.title}
                            </button>
                        ))}
                    </div>
                    <div
                        class="panel-part"
                        id="part"
                        role="tabpanel"
                        aria-labelledby={`part-${part.id}`}
                    >
                        <part.View key={node.key} store={store} node={node} />
                    </div>
                </>
            )}
        </aside>
    );
}
