/** Tabs as links: each has an address, arrows go from one to the next. */
import { useEffect, useRef } from "preact/hooks";

export interface Tab {
    id: string;
    title: string;
    href: string;
}

export function Tabs({
    label,
    tabs,
    active,
}: {
    label: string;
    tabs: readonly Tab[];
    active: string;
}) {
    const list = useRef<HTMLDivElement>(null);
    // On a narrow screen it may be out of sight.
    useEffect(() => {
        const chosen = list.current?.querySelector('[aria-selected="true"]');
        chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }, [active]);
    const move = (event: KeyboardEvent): void => {
        const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
        const step = steps[event.key];
        if (!step) return;
        const all = [...(list.current?.querySelectorAll("a") ?? [])];
        const next =
            all[
                (all.indexOf(event.target as HTMLAnchorElement) + step + all.length) %
                    all.length
            ];
        next?.focus();
        event.preventDefault();
    };
    return (
        <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
            {tabs.map((tab) => (
                <a
                    key={tab.id}
                    id={`tab-${tab.id}`}
                    role="tab"
                    href={tab.href}
                    aria-selected={tab.id === active}
                    tabIndex={tab.id === active ? 0 : -1}
                >
                    {tab.title}
                </a>
            ))}
        </div>
    );
}
