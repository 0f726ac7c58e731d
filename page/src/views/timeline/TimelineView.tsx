/** Bars by resource in lanes by nesting; what the others waited for is marked. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { choiceOf, openKeys, queryOf, turned } from "../../model/graphOpen";
import { structureOf } from "../../model/graphStructure";
import { lanesOf, markCritical, rangeOf, rowsOfLanes } from "../../model/timelineRows";
import type { Lane, LaneRow } from "../../model/timelineRows";
import { stepOf, ticksOf } from "../../model/timelineScale";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { VirtualRows } from "../../parts/VirtualList";
import { now as clockNow } from "../../state/clock";
import { route, select, selected, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { LaneRowView } from "./LaneRowView";
import { TimelineToolbar } from "./TimelineToolbar";
import { useHistories } from "./useHistories";
import "./timeline.css";

const ROW = 30;
const LARGEST_ZOOM = 64;
/** The narrowest axis that can be read. */
const NARROWEST = 320;

export default function TimelineView({ store }: { store: StackStore }) {
    void store.revision.value;
    const { histories, version, isLoading, error, retry } = useHistories(store);
    const [frame, setFrame] = useState<HTMLDivElement | null>(null);
    const [room, setRoom] = useState(900);
    const [active, setActive] = useState("");
    const frameRef = useRef<HTMLDivElement | null>(null);
    const place = (element: HTMLDivElement | null): void => {
        frameRef.current = element;
        setFrame(element);
    };
    const { query } = route.value;
    const { tree } = store;
    const structure = structureOf(tree);
    const choice = choiceOf(query);
    const { operations } = histories;
    const wanted = query["op"] ?? "";
    const operation =
        wanted === "all"
            ? undefined
            : (operations.find((each) => each.id === wanted) ??
              operations[operations.length - 1]);
    const isRunning = operations[operations.length - 1]?.end === null;
    // Time goes on only while something runs.
    const now = isRunning ? clockNow.value : Math.max(clockNow.peek(), 0);

    const shown = version.value;
    const { lanes, path } = useMemo(() => {
        const all = tree ? lanesOf(tree, histories, operation, now) : [];
        const isOne = tree !== null && operation !== undefined;
        // What several operations took together is nobody's path.
        return { lanes: all, path: isOne ? markCritical(tree, all, now) : null };
        // Lanes change with events, not with the clock: bars that grow are drawn by their rows.
    }, [tree, structure, shown, operation?.id, wanted]);
    const onlyCritical = path !== null && query["only"] === "critical";
    const openText = `${query["boxes"]} ${query["opened"]} ${query["closed"]}`;
    const rows = useMemo(() => {
        const open = tree ? openKeys(tree, choice) : new Set<string>();
        const isOpen = (lane: Lane): boolean =>
            onlyCritical || (lane.node ? open.has(lane.key) : !choice.closed.has(lane.key));
        return rowsOfLanes(lanes, isOpen, onlyCritical);
    }, [lanes, openText, onlyCritical]);

    useEffect(() => {
        if (!frame) return;
        const measure = (): void => {
            const side = frame.querySelector(".timeline-side")?.clientWidth ?? 0;
            setRoom(Math.max(NARROWEST, frame.clientWidth - side - 24));
        };
        measure();
        const watch = new ResizeObserver(measure);
        watch.observe(frame);
        return () => watch.disconnect();
    }, [frame]);

    const focused = active || selected.value;
    const at = rows.findIndex((row) => row.lane.key === focused);
    useEffect(() => {
        // The head of the table hides a row that is only just in sight.
        document.getElementById(`lane-${at}`)?.scrollIntoView({ block: "nearest" });
    }, [at]);

    if (error.value) return <ErrorBox error={error.value} onRetry={retry} />;
    if (!tree || (isLoading.value && lanes.length === 0)) return <Loading what="Timeline" />;

    const range = rangeOf(histories, operation, now);
    const length = range.end - range.begin;
    const zoom = Math.min(LARGEST_ZOOM, Math.max(1, Number(query["zoom"]) || 1));
    const width = Math.round(room * zoom);
    const setZoom = (next: number): void => {
        const bounded = Math.min(LARGEST_ZOOM, Math.max(1, next));
        const keep = frame ? (frame.scrollLeft + room / 2) / width : 0;
        setQuery({ zoom: bounded > 1 ? String(Math.round(bounded * 100) / 100) : "" });
        // What is in the middle stays there.
        requestAnimationFrame(() => {
            if (frame) frame.scrollLeft = keep * room * bounded - room / 2;
        });
    };
    const toggle = (lane: Lane, isOpen: boolean): void =>
        setQuery(queryOf(turned(choice, tree, lane.key, isOpen)));
    const choose = (lane: Lane): void => {
        setActive(lane.key);
        if (lane.node) select(lane.key);
    };
    const onKey = (event: KeyboardEvent): void => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const row = rows[at];
        const page = Math.max(1, Math.floor((frame?.clientHeight ?? 300) / ROW) - 2);
        const goTo = (index: number): void => {
            const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
            if (next) setActive(next.lane.key);
        };
        const steps: Record<string, () => void> = {
            ArrowDown: () => goTo(at + 1),
            ArrowUp: () => goTo(at - 1),
            PageDown: () => goTo(at + page),
            PageUp: () => goTo(at - page),
            Home: () => goTo(0),
            End: () => goTo(rows.length - 1),
            ArrowRight: () => {
                if (row && row.lane.children.length > 0)
                    if (row.isOpen) goTo(at + 1);
                    else toggle(row.lane, true);
            },
            ArrowLeft: () => {
                if (row?.isOpen) toggle(row.lane, false);
                else if (row) goTo(aroundOf(rows, at));
            },
            Enter: () => row && choose(row.lane),
            "+": () => setZoom(zoom * 1.5),
            "=": () => setZoom(zoom * 1.5),
            "-": () => setZoom(zoom / 1.5),
            "0": () => setZoom(1),
            c: () => {
                const keys = (path?.lanes ?? []).map((lane) => lane.key);
                const next = keys[(keys.indexOf(focused) + 1) % Math.max(1, keys.length)];
                if (next) setActive(next);
            },
        };
        const step = steps[event.key];
        if (!step) return;
        step();
        event.preventDefault();
    };

    const tick = (stepOf(length, width) / length) * width;
    return (
        <div class="timeline">
            <TimelineToolbar
                operations={operations}
                operation={operation}
                range={range}
                path={path}
                zoom={zoom}
                onZoom={setZoom}
                now={now}
            />
            {rows.length === 0 ? (
                <Empty title="Nothing has happened">
                    <p>In this time no resource was created, changed or deleted.</p>
                </Empty>
            ) : (
                <div
                    class="timeline-frame"
                    ref={place}
                    role="treegrid"
                    aria-label={`Timeline of ${store.at.name}`}
                    aria-rowcount={rows.length + 1}
                    aria-busy={isLoading.value}
                    aria-activedescendant={at >= 0 ? `lane-${at}` : undefined}
                    tabIndex={0}
                    onKeyDown={onKey}
                    style={{
                        "--timeline-width": `${width}px`,
                        "--timeline-tick": `${tick}px`,
                    }}
                >
                    <div class="timeline-axis" role="row">
                        <span class="timeline-side" role="presentation">
                            <span role="columnheader" class="timeline-name">
                                Resource
                            </span>
                            <span role="columnheader" class="timeline-start">
                                Began
                            </span>
                            <span role="columnheader" class="timeline-took">
                                Took
                            </span>
                        </span>
                        <span role="columnheader" class="timeline-track">
                            <span class="hidden-text">Actions</span>
                            {ticksOf(length, width).map((each) => (
                                <span
                                    key={each.at}
                                    class={`timeline-tick number ${each.at > 0.96 * length ? "last" : ""}`}
                                    aria-hidden="true"
                                    style={{ left: `${(100 * each.at) / length}%` }}
                                >
                                    {each.words}
                                </span>
                            ))}
                        </span>
                    </div>
                    <VirtualRows
                        count={rows.length}
                        rowHeight={ROW}
                        shown={at}
                        frame={frameRef}
                        row={(index) => {
                            const row = rows[index];
                            return (
                                row && (
                                    <LaneRowView
                                        key={row.lane.key}
                                        id={`lane-${index}`}
                                        row={row}
                                        range={range}
                                        now={now}
                                        width={width}
                                        isActive={index === at}
                                        isSelected={row.lane.key === selected.value}
                                        onToggle={() => toggle(row.lane, !row.isOpen)}
                                        onSelect={() => choose(row.lane)}
                                    />
                                )
                            );
                        }}
                    />
                </div>
            )}
        </div>
    );
}

/** The row of the box around one. */
function aroundOf(rows: readonly LaneRow[], at: number): number {
    const level = rows[at]?.level ?? 0;
    let index = at - 1;
    while (index > 0 && (rows[index]?.level ?? 0) >= level) index -= 1;
    return level > 1 ? index : at;
}
