/** The scene of a tree: laid out anew when its structure or what is open changes. */
import { useEffect, useRef, useState } from "preact/hooks";
import { startElk } from "../../layout/elk";
import type { ElkWorker } from "../../layout/elk";
import { Planner } from "../../layout/layout";
import type { Advance } from "../../layout/layout";
import { sceneOf } from "../../layout/scene";
import type { Scene } from "../../layout/scene";
import { buildGraph } from "../../model/graph";
import type { Choice } from "../../model/graphOpen";
import { openKeys } from "../../model/graphOpen";
import type { Tree } from "../../model/tree";

/** So many milliseconds lie between two words about how far it is. */
const TOLD = 400;

export interface SceneState {
    scene: Scene | null;
    /** How long the last layout took, in milliseconds. */
    took: number;
    isBusy: boolean;
    /** Of a layout that takes a while. */
    advance: Advance | null;
    error: unknown;
}

export function useScene(
    tree: Tree | null,
    structure: number,
    choice: Choice,
    choiceText: string,
): SceneState {
    const worker = useRef<{ elk: ElkWorker; planner: Planner } | null>(null);
    const [state, setState] = useState<SceneState>({
        scene: null,
        took: 0,
        isBusy: true,
        advance: null,
        error: null,
    });
    useEffect(
        () => () => {
            worker.current?.elk.stop();
            worker.current = null;
        },
        [],
    );
    useEffect(() => {
        if (!tree) return;
        const stop = new AbortController();
        const run = async (): Promise<void> => {
            if (!worker.current) {
                const elk = startElk();
                worker.current = { elk, planner: new Planner(elk.inLayers) };
            }
            const begun = performance.now();
            const open = openKeys(tree, choice);
            const graph = buildGraph(tree, (key) => open.has(key));
            await pause();
            let told = begun;
            const tell = (advance: Advance): void => {
                if (stop.signal.aborted || performance.now() - told < TOLD) return;
                told = performance.now();
                setState((before) => ({ ...before, advance }));
            };
            const layout = await worker.current.planner.layout(graph, stop.signal, tell);
            await pause();
            if (stop.signal.aborted) return;
            const scene = sceneOf(graph, layout);
            const took = performance.now() - begun;
            setState({ scene, took, isBusy: false, advance: null, error: null });
        };
        setState((before) => ({ ...before, isBusy: true, advance: null }));
        run().catch((error: unknown) => {
            if (!stop.signal.aborted)
                setState((before) => ({ ...before, isBusy: false, error }));
        });
        return () => stop.abort();
    }, [tree, structure, choiceText]);
    return state;
}

/** Between two long steps the browser may draw, and take a key. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
