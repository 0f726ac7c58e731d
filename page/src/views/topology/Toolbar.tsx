/** What can be done with the picture: search, open and close, zoom, save. */
import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Scene } from "../../layout/scene";
import type { Choice } from "../../model/graphOpen";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Menu } from "../../parts/Menu";
import { route, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import type { Camera } from "./camera";

interface Props {
    store: StackStore;
    scene: Scene | null;
    camera: Signal<Camera>;
    matches: readonly string[];
    onZoom: (factor: number) => void;
    onFit: () => void;
    onReveal: (key: string) => void;
    onBoxes: (base: Choice["base"]) => void;
}

export function Toolbar(props: Props) {
    const { store, scene, camera, matches, onZoom, onFit, onReveal, onBoxes } = props;
    const [at, setAt] = useState(-1);
    const [problem, setProblem] = useState("");
    const text = route.value.query["q"] ?? "";
    const go = (step: number): void => {
        if (matches.length === 0) return;
        const next = (at + step + matches.length) % matches.length;
        setAt(next);
        const key = matches[next];
        if (key) onReveal(key);
    };
    const save = async (kind: "svg" | "png"): Promise<void> => {
        if (!scene) return;
        setProblem("");
        try {
            const { pngOf, saveFile, svgOf } = await import("./saving");
            const title = `Topology of ${store.at.name}`;
            const svg = await svgOf(scene, store.rollUps.peek(), title);
            const blob =
                kind === "svg"
                    ? new Blob([svg], { type: "image/svg+xml" })
                    : await pngOf(svg, scene);
            saveFile(blob, `${store.at.name}-topology.${kind}`);
        } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
        }
    };
    return (
        <div class="toolbar topology-toolbar" role="group" aria-label="Topology">
            <input
                class="input"
                type="search"
                placeholder="Find a resource"
                aria-label="Find resources by path, type, status or physical id"
                value={text}
                onInput={(event) => {
                    setAt(-1);
                    setQuery({ q: event.currentTarget.value });
                }}
                onKeyDown={(event) => {
                    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
                }}
            />
            {text && (
                <>
                    <span class="muted number" role="status">
                        {matches.length === 0
                            ? "nothing found"
                            : at < 0
                              ? `${matches.length} found`
                              : `${at + 1} of ${matches.length}`}
                    </span>
                    <Button
                        kind="quiet"
                        aria-label="Previous found"
                        disabled={matches.length === 0}
                        onClick={() => go(-1)}
                    >
                        <Icon name="up" size={12} />
                    </Button>
                    <Button
                        kind="quiet"
                        aria-label="Next found"
                        disabled={matches.length === 0}
                        onClick={() => go(1)}
                    >
                        <Icon name="down" size={12} />
                    </Button>
                </>
            )}
            <span class="stretch" />
            {problem && (
                <span class="failed" role="alert">
                    {problem}
                </span>
            )}
            <Button kind="quiet" onClick={() => onBoxes("all")}>
                Open all
            </Button>
            <Button kind="quiet" onClick={() => onBoxes("none")}>
                Close all
            </Button>
            <span class="topology-scale" role="group" aria-label="Zoom">
                <Button kind="quiet" aria-label="Zoom out" onClick={() => onZoom(1 / 1.25)}>
                    <Icon name="dash" size={12} />
                </Button>
                <Percent camera={camera} />
                <Button kind="quiet" aria-label="Zoom in" onClick={() => onZoom(1.25)}>
                    <Icon name="plus" size={12} />
                </Button>
                <Button kind="quiet" onClick={onFit}>
                    Fit
                </Button>
            </span>
            <Menu
                title="Save"
                items={[
                    { id: "svg", title: "As SVG", onChoose: () => void save("svg") },
                    { id: "png", title: "As PNG", onChoose: () => void save("png") },
                ]}
            />
        </div>
    );
}

function Percent({ camera }: { camera: Signal<Camera> }) {
    const percent = camera.value.scale * 100;
    return (
        <span class="number">{percent < 10 ? percent.toFixed(1) : Math.round(percent)}%</span>
    );
}

const KEYS: readonly (readonly [string, string])[] = [
    ["← →", "along lines: to what it requires, to what requires it"],
    ["↑ ↓", "to the one before, to the one after; ↓ enters an open box"],
    ["Backspace", "to the box around it"],
    ["Enter", "show the resource in the panel"],
    ["Space", "open or close a box"],
    ["+ − 0", "zoom in, zoom out, fit"],
    ["Shift + arrows", "move the picture"],
    ["/", "find"],
    ["Mouse", "drag to move, wheel to zoom, double click opens a box"],
];

export function Help() {
    return (
        <details class="topology-help">
            <summary>
                An arrow leads from what is required to what requires it. Dashed: an old
                version, and the one that took its place. Keys and mouse
            </summary>
            <dl id="topology-keys">
                {KEYS.map(([keys, words]) => (
                    <div key={keys}>
                        <dt>{keys}</dt>
                        <dd>{words}</dd>
                    </div>
                ))}
            </dl>
        </details>
    );
}
