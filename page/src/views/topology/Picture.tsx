/** The picture itself: what of the scene is in sight, as the camera shows it. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { drawnOf } from "../../layout/detail";
import type { Drawn } from "../../layout/detail";
import { endKey } from "../../layout/scene";
import type { PlacedItem, Rect, Scene } from "../../layout/scene";
import type { Size } from "../../layout/shape";
import { linesAround } from "../../model/graph";
import type { Counts } from "../../model/tree";
import { sightOf } from "./camera";
import type { Camera } from "./camera";
import { memo } from "./memo";
import { Labels, PlainLines, Specks } from "./Plain";
import { Heads, insideText, LineOf, ShapeOf } from "./Shapes";

/** How much beyond the edge is drawn, so that small moves draw nothing new. */
const BEYOND = 0.2;
/** Zooming by less than this draws nothing new either. */
const MUCH = 1.4;

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
    revision: number;
}

export function Picture(props: Props) {
    const { onFrame, scene, camera, screen, marks, rollUps, revision, ...rest } = props;
    const drawn = useDrawn(scene, camera, screen, marks.active);
    const { x, y, scale } = camera;
    return (
        <svg {...rest} ref={onFrame} class="topo-picture">
            <Heads />
            <g transform={`scale(${scale}) translate(${-x} ${-y})`}>
                <Contents
                    scene={scene}
                    drawn={drawn}
                    rollUps={rollUps}
                    revision={revision}
                    {...marks}
                />
            </g>
        </svg>
    );
}

interface ContentsProps extends Marks {
    scene: Scene;
    drawn: Drawn;
    rollUps: ReadonlyMap<string, Counts>;
    revision: number;
}

/** Everything in the picture; nothing in it depends on where the camera is. */
const Contents = memo(function Contents(props: ContentsProps) {
    const { scene, drawn, rollUps, revision, selected, active, found, pointed } = props;
    const marks: Marks = { selected, active, found, pointed };
    const item = scene.items.get(pointed || active || selected)?.item;
    const lit = new Set(
        item?.parent
            ? linesAround(item).map(
                  ([box, line]) => `${endKey(box, line.from)}>${endKey(box, line.to)}`,
              )
            : [],
    );
    const shape = (placed: PlacedItem) => (
        <Shape key={placed.item.key} placed={placed} marks={marks} rollUps={rollUps} />
    );
    return (
        <>
            <PlainLines drawn={drawn} />
            {drawn.items.filter((each) => each.item.isOpen).map(shape)}
            {drawn.lines.map((placed) => (
                <LineOf key={placed.key} placed={placed} isLit={lit.has(placed.key)} />
            ))}
            <Specks drawn={drawn} rollUps={rollUps} revision={revision} found={found} />
            {drawn.items.filter((each) => !each.item.isOpen).map(shape)}
            <Labels drawn={drawn} />
        </>
    );
});

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

/** What is drawn, kept while the camera stays within what was drawn. */
function useDrawn(scene: Scene, camera: Camera, screen: Size, active: string): Drawn {
    const last = useRef<{ scene: Scene; active: string; sight: Rect; drawn: Drawn } | null>(
        null,
    );
    const before = last.current;
    const ratio = before ? camera.scale / before.drawn.scale : 0;
    if (
        before &&
        before.scene === scene &&
        before.active === active &&
        ratio < MUCH &&
        ratio > 1 / MUCH &&
        contains(before.sight, sightOf(camera, screen))
    )
        return before.drawn;
    const sight = sightOf(camera, screen, BEYOND);
    const drawn = drawnOf(scene, sight, camera.scale);
    const kept = scene.items.get(active);
    // What has the keyboard is always there, or the keyboard would be lost.
    if (kept?.item.parent && !drawn.items.includes(kept)) drawn.items.push(kept);
    last.current = { scene, active, sight, drawn };
    return drawn;
}

const contains = (outer: Rect, inner: Rect): boolean =>
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height;
