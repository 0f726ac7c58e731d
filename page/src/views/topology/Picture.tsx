/** The picture itself: what of the scene is in sight, as the camera shows it. */
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { drawnOf } from "../../layout/detail";
import type { Drawn } from "../../layout/detail";
import { endKey, pathOf } from "../../layout/scene";
import type { PlacedItem, Rect, Scene } from "../../layout/scene";
import type { Size } from "../../layout/shape";
import { linesAround } from "../../model/graph";
import { toneOf } from "../../model/status";
import type { Tone } from "../../model/status";
import type { Counts } from "../../model/tree";
import { sightOf } from "./camera";
import type { Camera } from "./camera";
import { Heads, insideText, LineOf, ShapeOf } from "./Shapes";

/** How much beyond the edge is drawn, so that small moves draw nothing new. */
const BEYOND = 0.4;

export interface Marks {
    selected: string;
    /** The item that has the keyboard. */
    active: string;
    /** Items that a search has found, or null if nothing is searched. */
    found: ReadonlySet<string> | null;
    /** The item under the mouse. */
    pointed: string;
}

interface Props extends Omit<JSX.IntrinsicElements["svg"], "ref"> {
    onFrame: (svg: SVGSVGElement | null) => void;
    scene: Scene;
    camera: Camera;
    screen: Size;
    marks: Marks;
    rollUps: ReadonlyMap<string, Counts>;
}

export function Picture({ onFrame, scene, camera, screen, marks, rollUps, ...rest }: Props) {
    const drawn = useDrawn(scene, camera, screen, marks.active);
    const lit = useMemo(() => {
        const item = scene.items.get(marks.pointed || marks.active || marks.selected)?.item;
        return new Set(
            item?.parent
                ? linesAround(item).map(
                      ([box, line]) => `${endKey(box, line.from)}>${endKey(box, line.to)}`,
                  )
                : [],
        );
    }, [scene, marks.pointed, marks.active, marks.selected]);
    const shape = (placed: PlacedItem) => (
        <Shape key={placed.item.key} placed={placed} marks={marks} rollUps={rollUps} />
    );
    const { x, y, scale } = camera;
    return (
        <svg {...rest} ref={onFrame} class="topo-picture">
            <Heads />
            <g transform={`scale(${scale}) translate(${-x} ${-y})`}>
                {drawn.items.filter((each) => each.item.isOpen).map(shape)}
                {drawn.threads.length > 0 && (
                    <path
                        class="topo-line"
                        d={drawn.threads.map((each) => pathOf(each.route, 0)).join("")}
                    />
                )}
                {drawn.lines.map((placed) => (
                    <LineOf key={placed.key} placed={placed} isLit={lit.has(placed.key)} />
                ))}
                <Specks specks={drawn.specks} found={marks.found} />
                {drawn.items.filter((each) => !each.item.isOpen).map(shape)}
            </g>
        </svg>
    );
}

/** One item with all that is to be said about it now. */
export function Shape({
    placed,
    marks,
    rollUps,
}: {
    placed: PlacedItem;
    marks: Marks;
    rollUps: ReadonlyMap<string, Counts>;
}) {
    const { item } = placed;
    const node = item.node;
    if (!node) return null;
    return (
        <ShapeOf
            placed={placed}
            status={node.status}
            hook={node.hook}
            inside={item.isBox ? insideText(rollUps.get(node.child?.id ?? "")) : ""}
            mark={marks.found ? (marks.found.has(item.key) ? "match" : "dim") : ""}
            isSelected={marks.selected === item.key}
            isActive={marks.active === item.key}
        />
    );
}

const TONES: readonly Tone[] = ["idle", "done", "running", "waiting", "failed"];

/** Leaves that are too small for words, those that failed on top. */
function Specks({
    specks,
    found,
}: {
    specks: readonly PlacedItem[];
    found: ReadonlySet<string> | null;
}) {
    if (specks.length === 0) return null;
    const paths: Partial<Record<Tone, string>> = {};
    let foundPath = "";
    for (const { item, x, y, width, height } of specks) {
        if (!item.node) continue;
        const path = `M${x} ${y}h${width}v${height}h${-width}z`;
        const tone = toneOf(item.node.status, item.node.hook);
        paths[tone] = (paths[tone] ?? "") + path;
        if (found?.has(item.key)) foundPath += path;
    }
    return (
        <g aria-hidden="true">
            {TONES.map(
                (tone) =>
                    paths[tone] && (
                        <path
                            key={tone}
                            class={`topo-speck topo-${tone} ${found ? "topo-dim" : ""}`}
                            d={paths[tone]}
                        />
                    ),
            )}
            {foundPath && <path class="topo-found" d={foundPath} />}
        </g>
    );
}

/** What is drawn, kept while the camera stays within what was drawn. */
function useDrawn(scene: Scene, camera: Camera, screen: Size, active: string): Drawn {
    const last = useRef<{ scene: Scene; scale: number; sight: Rect; drawn: Drawn } | null>(
        null,
    );
    const sight = sightOf(camera, screen);
    const before = last.current;
    if (
        !before ||
        before.scene !== scene ||
        before.scale !== camera.scale ||
        !contains(before.sight, sight)
    ) {
        const wide = sightOf(camera, screen, BEYOND);
        last.current = {
            scene,
            scale: camera.scale,
            sight: wide,
            drawn: drawnOf(scene, wide, camera.scale),
        };
    }
    const drawn = last.current?.drawn ?? { items: [], lines: [], specks: [], threads: [] };
    const kept = scene.items.get(active);
    // What has the keyboard is always there, or the keyboard would be lost.
    return kept && kept.item.parent && !drawn.items.includes(kept)
        ? { ...drawn, items: [...drawn.items, kept] }
        : drawn;
}

const contains = (outer: Rect, inner: Rect): boolean =>
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height;
