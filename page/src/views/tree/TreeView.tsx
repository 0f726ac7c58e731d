/** Every resource of a stack, through all nesting; smooth however many there are. */
import { signal } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Tone } from "../../model/status";
import { rowsOf } from "../../model/rows";
import type { Row, RowFilter } from "../../model/rows";
import type { ResourceNode } from "../../model/tree";
import { Empty, Loading } from "../../parts/Messages";
import { VirtualRows } from "../../parts/VirtualList";
import { route, select, selected } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { TreeRow } from "./TreeRow";
import { TreeToolbar } from "./TreeToolbar";
import "./tree.css";

const ROW = 30;
/** A tree of this size is shown open at first. */
const SMALL = 200;

/** What the user opened or closed by hand, by key; goes with the stack. */
const toggled = signal<ReadonlyMap<string, boolean>>(new Map());
let toggledOf = "";

export default function TreeView({ store }: { store: StackStore }) {
    const frame = useRef<HTMLDivElement>(null);
    const [active, setActive] = useState("");
    const revision = store.revision.value;
    if (toggledOf !== store.at.id) {
        toggledOf = store.at.id;
        toggled.value = new Map();
    }
    const { query } = route.value;
    const filter = filterOf(query);
    const failuresFirst = query["order"] === "failures";
    const openness = query["open"] ?? "";
    const total = store.counts.value.total;
    const isOpenByDefault = openness === "all" || (openness !== "none" && total <= SMALL);
    const hand = toggled.value;
    const isOpen = (node: ResourceNode): boolean => hand.get(node.key) ?? isOpenByDefault;
    const rows = useMemo(
        () => (store.tree ? rowsOf(store.tree.root, { filter, isOpen, failuresFirst }) : []),
        [
            store,
            revision,
            hand,
            isOpenByDefault,
            failuresFirst,
            query["q"],
            query["status"],
            query["type"],
        ],
    );
    if (!store.tree) return store.error.value ? null : <Loading what="Tree" />;

    const focused = active || selected.value;
    const at = rows.findIndex((row) => row.node.key === focused);
    const toggle = (row: Row, open = !row.isOpen): void => {
        toggled.value = new Map(toggled.value).set(row.node.key, open);
    };
    const onKey = (event: KeyboardEvent): void => {
        const row = rows[at];
        const goTo = (index: number): void => {
            const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
            if (next) setActive(next.node.key);
            event.preventDefault();
        };
        const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 300) / ROW) - 1);
        switch (event.key) {
            case "ArrowDown":
                return goTo(at + 1);
            case "ArrowUp":
                return goTo(at - 1);
            case "PageDown":
                return goTo(at + page);
            case "PageUp":
                return goTo(at - page);
            case "Home":
                return goTo(0);
            case "End":
                return goTo(rows.length - 1);
            case "ArrowRight":
                if (row?.hasChildren && !row.isOpen) toggle(row, true);
                else if (row?.isOpen) goTo(at + 1);
                break;
            case "ArrowLeft":
                if (row?.isOpen) toggle(row, false);
                else if (row?.node.stack.owner) setActive(row.node.stack.owner.key);
                break;
            case "Enter":
            case " ":
                if (row) select(row.node.key);
                break;
            default:
                return;
        }
        event.preventDefault();
    };

    return (
        <div class="tree-view">
            <TreeToolbar store={store} shown={rows.filter((row) => !row.isContext).length} />
            <div
                class="tree-frame"
                ref={frame}
                role="tree"
                aria-label={`Resources of ${store.at.name}`}
                tabIndex={0}
                {...(at >= 0 ? { "aria-activedescendant": `row-${at}` } : {})}
                onKeyDown={onKey}
            >
                <VirtualRows
                    count={rows.length}
                    rowHeight={ROW}
                    shown={at}
                    frame={frame}
                    row={(index) => {
                        const row = rows[index];
                        return (
                            row && (
                                <TreeRow
                                    key={row.node.key}
                                    id={`row-${index}`}
                                    row={row}
                                    counts={
                                        row.node.child
                                            ? store.rollUps.value.get(row.node.child.id)
                                            : undefined
                                    }
                                    isActive={index === at}
                                    isSelected={row.node.key === selected.value}
                                    onToggle={() => toggle(row)}
                                    onSelect={() => {
                                        setActive(row.node.key);
                                        select(row.node.key);
                                    }}
                                />
                            )
                        );
                    }}
                />
                {rows.length === 0 && <NoRows isFiltered={store.tree.nodes.size > 0} />}
            </div>
        </div>
    );
}

function NoRows({ isFiltered }: { isFiltered: boolean }) {
    return isFiltered ? (
        <Empty title="Nothing fits">
            <p>No resource fits the filters. Clear them to see all.</p>
        </Empty>
    ) : (
        <Empty title="No resources">
            <p>
                The template of this stack has no resources, or they have all been deleted. An
                update with another template adds some.
            </p>
        </Empty>
    );
}

export function filterOf(query: Readonly<Record<string, string>>): RowFilter {
    return {
        text: query["q"] ?? "",
        tones: new Set((query["status"] ?? "").split(",").filter(Boolean) as Tone[]),
        type: query["type"] ?? "",
    };
}
