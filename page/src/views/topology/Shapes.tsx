/** What is drawn of a resource: a leaf, a closed box, the frame of an open one. */
import type { PlacedItem, PlacedLine } from "../../layout/scene";
import { endKey, pathOf } from "../../layout/scene";
import { TITLE } from "../../layout/sizes";
import { toneOf } from "../../model/status";
import type { Counts } from "../../model/tree";
import { shortType } from "../../model/typeName";
import { Icon } from "../../parts/Icon";
import { ICONS } from "../../parts/Status";
import { memo } from "./memo";

export interface ShapeProps {
    placed: PlacedItem;
    status: string;
    hook: string;
    /** Of what is inside, in words; empty for a leaf. */
    inside: string;
    mark: "" | "match" | "dim";
    isSelected: boolean;
    isActive: boolean;
}

/** So many letters of a size go into a width. */
const cut = (text: string, width: number, letter: number): string => {
    const most = Math.max(4, Math.floor(width / letter));
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

export function insideText(counts: Counts | undefined): string {
    if (!counts) return "";
    const parts = [`${counts.total} ${counts.total === 1 ? "resource" : "resources"}`];
    if (counts.failed) parts.push(`${counts.failed} failed`);
    if (counts.waiting) parts.push(`${counts.waiting} waiting`);
    if (counts.running) parts.push(`${counts.running} in progress`);
    return parts.join(", ");
}

interface Texts {
    name: string;
    type: string;
    inside: string;
    status: string;
}

/** What there is room for. */
function textsOf({ placed, status, hook, inside }: ShapeProps): Texts {
    const { item, width } = placed;
    const [name, type] = [item.node?.name ?? "", shortType(item.node?.type ?? "")];
    const state = hook ? `${status} (${hook})` : status;
    if (!item.isOpen)
        return {
            name: cut(name, width - (item.isBox ? 52 : 44), 7.4),
            type: cut(type, width - 24, 6.1),
            inside: item.isBox ? cut(inside, width - 24, 6.1) : "",
            status: cut(state, width - 40, 6.4),
        };
    const statusText = cut(state, 180, 7);
    const room = width - statusText.length * 7 - 86;
    const nameText = cut(name, room, 7.4);
    const rest = room - nameText.length * 7.6 - 10;
    return {
        name: nameText,
        type: rest > 40 ? cut(type, rest, 6.1) : "",
        inside: "",
        status: statusText,
    };
}

/** The words that are seen, in their order, and then the others. */
function labelOf(props: ShapeProps, texts: Texts): string {
    const node = props.placed.item.node;
    if (!node) return "";
    const { name, type, inside, status } = texts;
    const words = [[name, type, inside, status].filter(Boolean).join(" ")];
    const path = node.path.join("/");
    if (path !== name) words.push(path);
    if (type !== node.type) words.push(node.type);
    if (props.hook) words.push(`waits at ${props.hook}`);
    if (props.inside && !inside) words.push(props.inside);
    if (node.isOld) words.push("old version");
    if (node.isExternal) words.push("external");
    return words.join(", ");
}

export const ShapeOf = memo(function ShapeOf(props: ShapeProps) {
    const { placed, status, hook, mark, isSelected, isActive } = props;
    const { item } = placed;
    const tone = toneOf(status, hook);
    const texts = textsOf(props);
    const kind = item.isOpen ? "open" : item.isBox ? "closed" : "leaf";
    const classes = ["topo-item", `topo-${kind}`, `topo-${tone}`];
    if (mark) classes.push(`topo-${mark}`);
    if (item.node?.isOld) classes.push("topo-old");
    if (isSelected) classes.push("topo-selected");
    return (
        <g
            class={classes.join(" ")}
            transform={`translate(${placed.x} ${placed.y})`}
            data-key={item.key}
            role="button"
            // In SVG the names of attributes are as they are written.
            tabindex={isActive ? 0 : -1}
            aria-label={labelOf(props, texts)}
            {...(item.isBox ? { "aria-expanded": item.isOpen } : {})}
            {...(isSelected ? { "aria-current": "true" } : {})}
        >
            {item.isOpen ? (
                <Frame {...props} texts={texts} />
            ) : (
                <Card {...props} texts={texts} />
            )}
        </g>
    );
});

/** A leaf, or a box that is closed. */
function Card({ placed, status, hook, texts }: ShapeProps & { texts: Texts }) {
    const { item, width, height } = placed;
    const node = item.node;
    if (!node) return null;
    const tone = toneOf(status, hook);
    return (
        <>
            <title>{`${node.path.join("/")}\n${node.type}\n${status}${node.reason ? `: ${node.reason}` : ""}`}</title>
            {item.isBox && (
                <rect class="topo-behind" x="5" y="5" width={width} height={height} rx="7" />
            )}
            <rect class="topo-body" width={width} height={height} rx="7" />
            <path
                class="topo-bar"
                d={`M7 0H5V${height}H7A7 7 0 0 1 0 ${height - 7}V7A7 7 0 0 1 7 0Z`}
            />
            <text class="topo-name" x="15" y="20">
                {texts.name}{" "}
            </text>
            <text class="topo-type" x="15" y="36">
                {texts.type}{" "}
            </text>
            {item.isBox && (
                <text class="topo-type" x="15" y="53">
                    {texts.inside}{" "}
                </text>
            )}
            <g class="topo-tone">
                <g transform={`translate(15 ${height - 18})`}>
                    <Icon name={ICONS[tone]} size={11} />
                </g>
                <text class="topo-status" x="31" y={height - 8.5}>
                    {texts.status}
                </text>
            </g>
            <Flags placed={placed} x={width - (item.isBox ? 42 : 22)} y={10} />
            {item.isBox && <Toggle x={width - 26} y={6} isOpen={false} />}
        </>
    );
}

/** An open box: its title stands above what is inside. */
function Frame({ placed, status, hook, inside, texts }: ShapeProps & { texts: Texts }) {
    const { item, width, height } = placed;
    const node = item.node;
    if (!node) return null;
    const tone = toneOf(status, hook);
    return (
        <>
            <rect class="topo-body" width={width} height={height} rx="9" />
            <g class="topo-title">
                <title>{`${node.path.join("/")}\n${node.type}\n${status}\n${inside}`}</title>
                <path
                    class="topo-head"
                    d={`M0 ${TITLE - 6}V9A9 9 0 0 1 9 0H${width - 9}A9 9 0 0 1 ${width} 9V${TITLE - 6}Z`}
                />
                <Toggle x={6} y={3} isOpen={true} />
                <text class="topo-name" x="32" y="19">
                    {texts.name}{" "}
                    {texts.type && (
                        <tspan class="topo-type" dx="5">
                            {texts.type}{" "}
                        </tspan>
                    )}
                </text>
                <g class="topo-tone">
                    <text class="topo-status" x={width - 28} y="18.5" text-anchor="end">
                        {texts.status}
                    </text>
                    <g transform={`translate(${width - 22} 8.5)`}>
                        <Icon name={ICONS[tone]} size={11} />
                    </g>
                </g>
            </g>
            <Flags placed={placed} x={width - 22} y={TITLE - 2} />
        </>
    );
}

function Flags({ placed, x, y }: { placed: PlacedItem; x: number; y: number }) {
    const node = placed.item.node;
    if (!node?.isOld && !node?.isExternal) return null;
    return (
        <g class="topo-flag" transform={`translate(${x} ${y})`}>
            <Icon name={node.isOld ? "old" : "external"} size={12} />
        </g>
    );
}

function Toggle({ x, y, isOpen }: { x: number; y: number; isOpen: boolean }) {
    return (
        <g class="topo-toggle" data-toggle="" transform={`translate(${x} ${y})`}>
            <rect width="22" height="22" rx="5" />
            <g transform="translate(5 5)">
                <Icon name={isOpen ? "down" : "right"} size={12} />
            </g>
        </g>
    );
}

export const LineOf = memo(function LineOf({
    placed,
    isLit,
}: {
    placed: PlacedLine;
    isLit: boolean;
}) {
    const { box, line, route } = placed;
    const isEnd = line.to >= 0 && !box.children[line.to]?.isOpen;
    const marker = isEnd ? { "marker-end": `url(#topo-${isLit ? "lit" : "arrow"})` } : {};
    return (
        <path
            class={`topo-line ${line.kind === "replaced" ? "topo-replaced" : ""} ${isLit ? "topo-lit" : ""}`}
            d={pathOf(route)}
            data-from={endKey(box, line.from)}
            data-to={endKey(box, line.to)}
            data-kind={line.kind}
            {...marker}
        />
    );
});

/** Heads of lines, for the picture and for its copy in a file. */
export function Heads() {
    return (
        <defs>
            {["arrow", "lit"].map((name) => (
                <marker
                    key={name}
                    id={`topo-${name}`}
                    viewBox="0 0 8 8"
                    refX="7.5"
                    refY="4"
                    markerWidth="7"
                    markerHeight="7"
                    markerUnits="userSpaceOnUse"
                    orient="auto"
                >
                    <path class={`topo-head-${name}`} d="M0 0.5 8 4 0 7.5Z" />
                </marker>
            ))}
        </defs>
    );
}
