/** Boxes in boxes, and lines from what is required to what requires it. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { choiceOf, queryOf, turned } from "../../model/graphOpen";
import type { Choice } from "../../model/graphOpen";
import { structureOf } from "../../model/graphStructure";
import type { Tree } from "../../model/tree";
import { Button } from "../../parts/Button";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { route, select, selected, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import { panned, zoomed } from "./camera";
import { useGestures } from "./gestures";
import { Picture } from "./Picture";
import { Help, Toolbar } from "./Toolbar";
import { useCamera } from "./useCamera";
import { useScene } from "./useScene";
import { stepFrom } from "./walk";
import type { Direction } from "./walk";
import "./topology.css";

const STEP = 60;
const ZOOM = 1.25;
const WAYS: Record<string, Direction> = {
    ArrowLeft: "left",
    ArrowRight: "right",
    ArrowUp: "up",
    ArrowDown: "down",
    Backspace: "out",
    Home: "first",
};

export default function TopologyView({ store }: { store: StackStore }) {
    const revision = store.revision.value;
    const { query } = route.value;
    const choice = choiceOf(query);
    const { tree } = store;
    const structure = structureOf(tree);
    const { scene, isBusy, advance, error, took } = useScene(
        tree,
        structure,
        choice,
        JSON.stringify(queryOf(choice)),
    );
    const [frame, setFrame] = useState<HTMLDivElement | null>(null);
    const [picture, setPicture] = useState<SVGSVGElement | null>(null);
    const active = useSignal("");
    const pointed = useSignal("");
    const wantsFocus = useRef(false);
    const turning = useRef<{ key: string; isOpen: boolean } | null>(null);
    const view = useCamera(frame, scene, selected.value);
    const { camera, screen } = view;

    const text = query["q"] ?? "";
    const matches = useMemo(() => (tree ? matchesOf(tree, text) : []), [tree, structure, text]);
    const found = useMemo(() => {
        if (!text || !tree || !scene) return null;
        return new Set(
            matches.map((key) => shownFor(tree, key, (each) => scene.items.has(each))),
        );
    }, [matches, scene]);

    const zoomBy = (factor: number): void => {
        const { width, height } = screen.peek();
        camera.value = zoomed(camera.peek(), factor, { x: width / 2, y: height / 2 });
    };
    const { wasDragged } = useGestures(picture, {
        pan: (dx, dy) => (camera.value = panned(camera.peek(), dx, dy)),
        zoom: (factor, at) => (camera.value = zoomed(camera.peek(), factor, at)),
    });

    // The keyboard goes to the element once it is drawn.
    useEffect(() => {
        const turned = turning.current;
        if (turned && scene?.items.get(turned.key)?.item.isOpen === turned.isOpen) {
            // An open box is another element than a closed one.
            turning.current = null;
            wantsFocus.current = true;
        }
        if (!wantsFocus.current) return;
        const item = picture?.querySelector<SVGGElement>('[tabindex="0"]');
        if (item?.dataset["key"] !== active.value) return;
        wantsFocus.current = false;
        item.focus({ preventScroll: true });
    });
    useEffect(() => {
        if (selected.value && scene?.items.has(selected.value)) {
            active.value = selected.value;
            view.show(selected.value);
        }
    }, [selected.value]);

    if (!tree) return store.error.value ? null : <Loading what="Topology" />;
    if (tree.root.resources.length === 0)
        return (
            <Empty title="No resources">
                <p>The template of this stack has none, or all of them have been deleted.</p>
            </Empty>
        );

    const choose = (next: Choice): void => setQuery(queryOf(next));
    const onBoxes = (base: Choice["base"]): void => {
        view.fitNext();
        choose({ base, opened: new Set(), closed: new Set() });
    };
    const toggle = (key: string): void => {
        const item = scene?.items.get(key)?.item;
        if (!item?.isBox) return;
        view.hold(key);
        if (picture?.contains(document.activeElement))
            turning.current = { key, isOpen: !item.isOpen };
        choose(turned(choice, tree, key, !item.isOpen));
    };
    const goTo = (key: string): void => {
        active.value = key;
        wantsFocus.current = true;
        view.show(key);
    };
    /** Find a resource, inside closed boxes too. */
    const reveal = (key: string): void => {
        const owner = tree.nodes.get(key)?.stack.owner;
        if (owner && !scene?.items.has(key)) choose(turned(choice, tree, owner.key, true));
        active.value = key;
        view.show(key);
    };

    const onKey = (event: KeyboardEvent): void => {
        if (event.ctrlKey || event.metaKey || event.altKey || !scene) return;
        const way = WAYS[event.key];
        const pan: Record<string, [number, number]> = {
            ArrowLeft: [STEP, 0],
            ArrowRight: [-STEP, 0],
            ArrowUp: [0, STEP],
            ArrowDown: [0, -STEP],
        };
        const shift = event.shiftKey ? pan[event.key] : undefined;
        if (shift) camera.value = panned(camera.peek(), ...shift);
        else if (way) {
            const next = stepFrom(scene, active.value, way);
            if (next) goTo(next);
        } else if (event.key === "Enter") select(active.value);
        else if (event.key === " ") toggle(active.value);
        else if (event.key === "+" || event.key === "=") zoomBy(ZOOM);
        else if (event.key === "-") zoomBy(1 / ZOOM);
        else if (event.key === "0") view.fit();
        else if (event.key === "/")
            frame?.parentElement?.querySelector<HTMLElement>("input")?.focus();
        else return;
        event.preventDefault();
    };
    const keyAt = (event: Event): string => {
        const item = (event.target as Element).closest<SVGGElement>("[data-key]");
        return item?.dataset["key"] ?? "";
    };
    const onClick = (event: MouseEvent): void => {
        const key = keyAt(event);
        if (wasDragged() || !key) return;
        active.value = key;
        if ((event.target as Element).closest("[data-toggle]")) toggle(key);
        else select(key);
    };

    const firstKey = tree.root.resources[0]?.key ?? "";
    const marks = {
        selected: shownFor(tree, selected.value, (key) => scene?.items.has(key) ?? false),
        active: scene?.items.has(active.value) ? active.value : firstKey,
        found,
        pointed: pointed.value,
    };
    return (
        <div class="topology">
            <Toolbar
                store={store}
                scene={scene}
                camera={camera}
                matches={matches}
                onZoom={zoomBy}
                onFit={view.fit}
                onReveal={reveal}
                onBoxes={onBoxes}
            />
            <div
                class="topology-frame"
                ref={setFrame}
                data-took={Math.round(took)}
                aria-busy={isBusy}
            >
                {Boolean(error) && <ErrorBox error={error} onRetry={() => location.reload()} />}
                {scene && screen.value.width > 0 && (
                    <Picture
                        onFrame={setPicture}
                        scene={scene}
                        camera={camera.value}
                        screen={screen.value}
                        marks={marks}
                        rollUps={store.rollUps.value}
                        revision={revision}
                        role="application"
                        aria-label={`Topology of ${store.at.name}`}
                        aria-describedby="topology-keys"
                        onKeyDown={onKey}
                        onClick={onClick}
                        onDblClick={(event) => toggle(keyAt(event))}
                        onFocusIn={(event) => {
                            const key = keyAt(event);
                            if (key && key !== active.value) active.value = key;
                        }}
                        onPointerOver={(event) => (pointed.value = keyAt(event))}
                        onPointerLeave={() => (pointed.value = "")}
                    />
                )}
                {isBusy && (
                    <div class="topology-busy">
                        <Loading what={scene ? "Layout" : "Topology"} />
                        {advance && (
                            <>
                                <span class="muted">
                                    {advance.done} of {advance.all} boxes
                                </span>
                                <Button onClick={() => onBoxes("none")}>
                                    Close the boxes instead
                                </Button>
                            </>
                        )}
                    </div>
                )}
            </div>
            <Help />
        </div>
    );
}

function matchesOf(tree: Tree, text: string): string[] {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const found: string[] = [];
    for (const node of tree.nodes.values())
        if (
            node.key.toLowerCase().includes(wanted) ||
            node.type.toLowerCase().includes(wanted) ||
            node.physicalId.toLowerCase().includes(wanted) ||
            node.status.toLowerCase().includes(wanted)
        )
            found.push(node.key);
    return found;
}

/** The resource itself, or the innermost closed box that it is in. */
function shownFor(tree: Tree, key: string, isShown: (key: string) => boolean): string {
    let node = tree.nodes.get(key) ?? null;
    while (node && !isShown(node.key)) node = node.stack.owner;
    return node?.key ?? "";
}
