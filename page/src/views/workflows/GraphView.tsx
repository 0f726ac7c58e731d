/** The tasks as boxes in layers, with lines for what leads to what. */
import type { TaskEdge, TaskGraph, TaskNode } from "../../model/workflow";
import { State } from "./State";

const WIDTH = 196;
const HEIGHT = 58;
const ACROSS = 28;
const DOWN = 44;
const MARGIN = 12;

interface Point {
    x: number;
    y: number;
}

/** The upper left corner of a box; each layer stands in the middle. */
function cornerOf(graph: TaskGraph, node: TaskNode): Point {
    const beside = graph.nodes.filter((each) => each.layer === node.layer).length;
    const whole = graph.widest * (WIDTH + ACROSS) - ACROSS;
    const row = beside * (WIDTH + ACROSS) - ACROSS;
    return {
        x: MARGIN + (whole - row) / 2 + node.place * (WIDTH + ACROSS),
        y: MARGIN + node.layer * (HEIGHT + DOWN),
    };
}

interface Props {
    graph: TaskGraph;
    chosen: string;
    onChoose: (name: string) => void;
}

export function GraphView({ graph, chosen, onChoose }: Props) {
    const corners = new Map(graph.nodes.map((node) => [node.name, cornerOf(graph, node)]));
    const width = graph.widest * (WIDTH + ACROSS) - ACROSS + 2 * MARGIN;
    const height = graph.layers * (HEIGHT + DOWN) - DOWN + 2 * MARGIN;
    return (
        <div class="workflows-frame" role="group" aria-label="Graph of the tasks">
            <div class="workflows-graph" style={{ width: `${width}px`, height: `${height}px` }}>
                <svg width={width} height={height} aria-hidden="true">
                    <defs>
                        <marker
                            id="workflows-tip"
                            viewBox="0 0 8 8"
                            refX="7"
                            refY="4"
                            markerUnits="userSpaceOnUse"
                            markerWidth="9"
                            markerHeight="9"
                            orient="auto"
                        >
                            <path d="M0 0 8 4 0 8z" />
                        </marker>
                    </defs>
                    {graph.edges.map((edge) => {
                        const from = corners.get(edge.from);
                        const to = corners.get(edge.to);
                        if (!from || !to) return null;
                        return (
                            <Edge
                                key={`${edge.from} ${edge.to} ${edge.event}`}
                                edge={edge}
                                from={from}
                                to={to}
                            />
                        );
                    })}
                </svg>
                {graph.nodes.map((node) => {
                    const { x, y } = corners.get(node.name) ?? { x: 0, y: 0 };
                    return (
                        <button
                            key={node.name}
                            type="button"
                            class={`workflows-task ${node.run ? "" : "unrun"}`}
                            style={{ left: `${x}px`, top: `${y}px` }}
                            aria-pressed={node.name === chosen}
                            title={`${node.name}: ${node.call}`}
                            onClick={() => onChoose(node.name === chosen ? "" : node.name)}
                        >
                            <span class="workflows-name">{node.name}</span>
                            <span class="workflows-line">
                                <State state={node.run?.state ?? ""} />
                                {node.count > 1 && <span>{node.count} times</span>}
                                {node.isWorkflow && <span class="muted">workflow</span>}
                            </span>
                            <span class="hidden-text">{waysOf(graph, node)}</span>
                        </button>
                    );
                })}
            </div>
        </div>
    );
}

/** What the lines say, in words. */
function waysOf(graph: TaskGraph, node: TaskNode): string {
    const next = graph.edges
        .filter((edge) => edge.from === node.name)
        .map((edge) => `${edge.event} ${edge.to}`);
    return next.length ? `leads to ${next.join(", ")}` : "leads to nothing";
}

function Edge({ edge, from, to }: { edge: TaskEdge; from: Point; to: Point }) {
    const classes = [
        "workflows-edge",
        edge.isTaken ? "taken" : "",
        edge.event === "on-error" ? "error" : "",
    ].join(" ");
    const start = { x: from.x + WIDTH / 2, y: from.y + HEIGHT };
    const end = { x: to.x + WIDTH / 2, y: to.y };
    const middle = (start.y + end.y) / 2;
    const line = edge.isBack
        ? `M${from.x + WIDTH} ${from.y + HEIGHT / 2} C${from.x + WIDTH + 40} ${from.y} ${to.x + WIDTH + 40} ${to.y + HEIGHT} ${to.x + WIDTH} ${to.y + HEIGHT / 2}`
        : `M${start.x} ${start.y} C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${end.y - 1}`;
    const label = edge.event === "on-success" || edge.event === "requires" ? "" : edge.event;
    return (
        <g class={classes}>
            <path d={line} fill="none" marker-end="url(#workflows-tip)" />
            {label && (
                <text x={(start.x + end.x) / 2 + 6} y={middle + 4}>
                    {label}
                </text>
            )}
        </g>
    );
}
