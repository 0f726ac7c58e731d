/** One stack: header, tabs, and the panel of a resource beside them. */
import { useEffect, useMemo } from "preact/hooks";
import { lazy } from "../../parts/Lazy";
import { ErrorBox, Loading } from "../../parts/Messages";
import { Tabs } from "../../parts/Tabs";
import { selected, stackHref } from "../../state/route";
import type { StackPlace } from "../../state/route";
import { current, openStack } from "../../state/stack";
import { tabs } from "../registry";
import { ResourcePanel } from "../resource/ResourcePanel";
import { StackHeader } from "./StackHeader";
import "./stack.css";

const VIEWS = new Map(tabs.map((tab) => [tab.id, lazy(tab.load)]));

export function StackFrame({ place }: { place: StackPlace }) {
    useEffect(() => {
        openStack({ name: place.name, id: place.id });
    }, [place.id]);
    useEffect(() => () => openStack(null), []);
    const store = current.value;
    const View = useMemo(() => VIEWS.get(place.tab), [place.tab]);
    if (!store || store.at.id !== place.id) return <Loading what="Stack" />;
    const error = store.error.value;
    // The resource in the panel stays when the tab changes; filters are those of a tab.
    const kept: Record<string, string> = selected.value ? { r: selected.value } : {};
    return (
        <div class="stack">
            <StackHeader store={store} />
            {error && <ErrorBox error={error} onRetry={() => void store.refresh()} />}
            <Tabs
                label="Views of the stack"
                active={place.tab}
                tabs={tabs.map((tab) => ({
                    id: tab.id,
                    title: tab.title,
                    href: stackHref(place, tab.id, kept),
                }))}
            />
            <div class="stack-body">
                <section
                    class="stack-view"
                    id="view"
                    role="tabpanel"
                    aria-labelledby={`tab-${place.tab}`}
                >
                    {View ? (
                        <View store={store} />
                    ) : (
                        <ErrorBox error={new Error(`There is no tab "${place.tab}".`)} />
                    )}
                </section>
                {selected.value && <ResourcePanel store={store} selected={selected.value} />}
            </div>
        </div>
    );
}
