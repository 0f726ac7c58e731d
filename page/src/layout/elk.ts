/**
 * ELK's layered layout in a worker of its own. The worker's file is fetched when a topology is first
 * shown; nothing of it is in the page before.
 */
import ELK from "elkjs/lib/elk-api.js";
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import { GATE_IN, GATE_OUT } from "../model/graph";
import { simple } from "./box";
import { GAP_X, GAP_Y } from "./sizes";
import type { LayerLayout, Placed, Point, Shape } from "./shape";

const OPTIONS: Record<string, string> = {
    "elk.algorithm": "layered",
    "elk.direction": "RIGHT",
    "elk.edgeRouting": "ORTHOGONAL",
    "elk.padding": "[top=0,left=0,bottom=0,right=0]",
    "elk.spacing.nodeNode": String(GAP_Y),
    "elk.spacing.edgeNode": "14",
    "elk.spacing.edgeEdge": "10",
    "elk.spacing.componentComponent": String(GAP_Y),
    "elk.layered.spacing.nodeNodeBetweenLayers": String(GAP_X),
    "elk.layered.spacing.edgeNodeBetweenLayers": "14",
    "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
    "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
    // What the template names first stays first where it makes no difference.
    "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};
/** With more parts in one box the picture is less tidy, and comes in time. */
const QUICK: Record<string, string> = {
    ...OPTIONS,
    "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
    "elk.layered.considerModelOrder.strategy": "NONE",
};
const HASTY: Record<string, string> = {
    ...QUICK,
    "elk.edgeRouting": "POLYLINE",
    "elk.layered.layering.strategy": "LONGEST_PATH",
    "elk.layered.nodePlacement.strategy": "SIMPLE",
    "elk.layered.thoroughness": "1",
    "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
};
const MANY = 40;
const VERY_MANY = 250;

function optionsFor(parts: number): Record<string, string> {
    return parts > VERY_MANY ? HASTY : parts > MANY ? QUICK : OPTIONS;
}

export interface ElkWorker {
    inLayers: LayerLayout;
    stop(): void;
}

export function startElk(): ElkWorker {
    const elk = new ELK({ workerUrl, algorithms: ["layered"] });
    return {
        inLayers: layersBy((graph) => elk.layout(graph)),
        stop: () => elk.terminateWorker(),
    };
}

export function layersBy(layout: (graph: ElkNode) => Promise<ElkNode>): LayerLayout {
    return async (shape) => placedOf(shape, await layout(elkGraphOf(shape)));
}

/** A shape in ELK's words: gates are points in the first and in the last layer. */
function elkGraphOf(shape: Shape): ElkNode {
    const children: ElkNode[] = shape.parts.map((part, place) => ({
        id: `${place}`,
        width: part.width,
        height: part.height,
        layoutOptions: { "elk.portConstraints": "FIXED_POS" },
        ports: [
            {
                id: `${place}<`,
                x: 0,
                y: part.takesAt,
                layoutOptions: { "elk.port.side": "WEST" },
            },
            {
                id: `${place}>`,
                x: part.width,
                y: part.givesAt,
                layoutOptions: { "elk.port.side": "EAST" },
            },
        ],
    }));
    const uses = (gate: number): boolean =>
        shape.lines.some((line) => line.from === gate || line.to === gate);
    if (uses(GATE_IN)) children.push(gate("in", "FIRST_SEPARATE"));
    if (uses(GATE_OUT)) children.push(gate("out", "LAST_SEPARATE"));
    const edges: ElkExtendedEdge[] = shape.lines.map((line, number) => ({
        id: `e${number}`,
        sources: [line.from === GATE_IN ? "in" : `${line.from}>`],
        targets: [line.to === GATE_OUT ? "out" : `${line.to}<`],
        // A replacement stands beside what it replaces.
        ...(line.kind === "replaced"
            ? { layoutOptions: { "elk.layered.priority.shortness": "10" } }
            : {}),
    }));
    const layoutOptions = optionsFor(shape.parts.length);
    return { id: "box", layoutOptions, children, edges };
}

function gate(id: string, layer: string): ElkNode {
    const layoutOptions = { "elk.layered.layering.layerConstraint": layer };
    return { id, width: 1, height: 1, layoutOptions };
}

function placedOf(shape: Shape, graph: ElkNode): Placed {
    const nodes = new Map((graph.children ?? []).map((node) => [node.id, node]));
    const places: Point[] = shape.parts.map((_, place) => {
        const node = nodes.get(`${place}`);
        return { x: round(node?.x), y: round(node?.y) };
    });
    const routes = shape.lines.map(() => [] as Point[]);
    (graph.edges ?? []).forEach((edge, number) => {
        const section = edge.sections?.[0];
        if (!section) return;
        const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
        const route = points.map(({ x, y }) => ({ x: round(x), y: round(y) }));
        const line = shape.lines[number];
        const [from, to] = [places[line?.from ?? -1], places[line?.to ?? -1]];
        // A place and a line to it are rounded apart; they meet all the same.
        if (from) level(route, from.y + (shape.parts[line?.from ?? -1]?.givesAt ?? 0));
        route.reverse();
        if (to) level(route, to.y + (shape.parts[line?.to ?? -1]?.takesAt ?? 0));
        routes[number] = simple(route.reverse());
    });
    // Lines meet a gate in its middle.
    const gateAt = (id: string): number => {
        const y = nodes.get(id)?.y;
        return y === undefined ? round((graph.height ?? 0) / 2) : round(y + 0.5);
    };
    return {
        width: round(graph.width),
        height: round(graph.height),
        takesAt: gateAt("in"),
        givesAt: gateAt("out"),
        places,
        routes,
    };
}

/** Let a route begin at a height; a level first piece stays level. */
function level(route: Point[], y: number): void {
    const [first, second] = route;
    if (!first) return;
    if (second && route.length > 2 && second.y === first.y) second.y = y;
    first.y = y;
}

const round = (value = 0): number => Math.round(value * 2) / 2;
