/** What is too small for words, in few elements: specks by tone, frames, names of boxes. */
import type { Drawn } from "../../layout/detail";
import { pathOf } from "../../layout/scene";
import type { PlacedItem } from "../../layout/scene";
import { toneOf } from "../../model/status";
import type { Tone } from "../../model/status";
import type { Counts } from "../../model/tree";
import { memo } from "./memo";

/** Those that failed are drawn last, above the others. */
const TONES: readonly Tone[] = ["idle", "done", "running", "waiting", "failed"];
const LABEL = 11;

const rectOf = ({ x, y, width, height }: PlacedItem): string =>
    `M${x} ${y}h${width}v${height}h${-width}z`;

/** Frames and lines; status is no part of them. */
export const PlainLines = memo(function PlainLines({ drawn }: { drawn: Drawn }) {
    return (
        <g aria-hidden="true">
            {drawn.frames.length > 0 && (
                <path class="topo-frame" d={drawn.frames.map(rectOf).join("")} />
            )}
            {drawn.threads.length > 0 && (
                <path
                    class="topo-line"
                    d={drawn.threads.map((each) => pathOf(each.route, 0)).join("")}
                />
            )}
        </g>
    );
});

/** `revision` says that a status may have changed. A box with a failure inside is shown as failed. */
export const Specks = memo(function Specks({
    drawn,
    rollUps,
    found,
}: {
    drawn: Drawn;
    rollUps: ReadonlyMap<string, Counts>;
    revision: number;
    found: ReadonlySet<string> | null;
}) {
    const paths: Partial<Record<Tone, string>> = {};
    let foundPath = "";
    for (const placed of drawn.specks) {
        const node = placed.item.node;
        if (!node) continue;
        const path = rectOf(placed);
        const inside = node.child && rollUps.get(node.child.id);
        const tone = inside?.failed
            ? "failed"
            : inside?.waiting
              ? "waiting"
              : toneOf(node.status, node.hook);
        paths[tone] = (paths[tone] ?? "") + path;
        if (found?.has(node.key)) foundPath += path;
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
});

/** Names of boxes, of one size on the screen. */
export const Labels = memo(function Labels({ drawn }: { drawn: Drawn }) {
    const size = LABEL / drawn.scale;
    return (
        <g class="topo-labels" aria-hidden="true" font-size={size} stroke-width={size / 4}>
            {drawn.labels.map(({ item, x, y, width }) => (
                <text key={item.key} x={x + size * 0.4} y={y + size * 1.05}>
                    {(item.node?.name ?? "").slice(0, Math.floor(width / size / 0.65))}
                </text>
            ))}
        </g>
    );
});
