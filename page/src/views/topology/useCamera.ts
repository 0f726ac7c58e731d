/** The camera of a scene: it fits at first, and keeps its place when the scene becomes another one. */
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Scene } from "../../layout/scene";
import type { Size } from "../../layout/shape";
import { begun, centred, fitted, revealing, sightOf } from "./camera";
import type { Camera } from "./camera";

export interface CameraState {
    camera: Signal<Camera>;
    screen: Signal<Size>;
    fit: () => void;
    /** Show an item, now or as soon as the scene has it; it stays in its place on the screen. */
    show: (key: string) => void;
    /** What keeps its place when the scene changes next. */
    hold: (key: string) => void;
    /** The next scene is shown as a whole. */
    fitNext: () => void;
}

export function useCamera(
    element: HTMLDivElement | null,
    scene: Scene | null,
    first: string,
): CameraState {
    const camera = useSignal<Camera>({ x: 0, y: 0, scale: 1 });
    const screen = useSignal<Size>({ width: 0, height: 0 });
    const before = useRef<Scene | null>(null);
    const held = useRef("");
    const wanted = useRef("");
    const isFitting = useRef(true);

    useLayoutEffect(() => {
        if (!element) return;
        const measure = (): void => {
            screen.value = { width: element.clientWidth, height: element.clientHeight };
        };
        measure();
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        return () => watch.disconnect();
    }, [element]);

    useLayoutEffect(() => {
        if (!scene || screen.peek().width === 0 || before.current === scene) return;
        const last = before.current;
        before.current = scene;
        if (isFitting.current || !last) {
            isFitting.current = false;
            camera.value = last
                ? fitted(scene, screen.peek())
                : begun(scene, screen.peek(), screen.peek().width < 700 ? 0.6 : 0.36);
            if (!last && first) wanted.current = first;
        } else keepPlace(last, scene);
        held.current = "";
        const place = scene.items.get(wanted.current);
        if (place?.item.parent) {
            wanted.current = "";
            camera.value = revealing(camera.peek(), place, screen.peek());
        }
    }, [scene, screen.value.width === 0]);

    /** Move with what is held, or with what is in the middle of the screen. */
    const keepPlace = (last: Scene, next: Scene): void => {
        const sight = sightOf(camera.peek(), screen.peek());
        const x = sight.x + sight.width / 2;
        const y = sight.y + sight.height / 2;
        let from = last.items.get(held.current);
        if (!from || !next.items.has(from.item.key)) {
            let least = Infinity;
            for (const each of last.items.values()) {
                if (!each.item.parent || !next.items.has(each.item.key)) continue;
                const far = Math.hypot(each.x - x, each.y - y);
                if (far < least) [from, least] = [each, far];
            }
        }
        const to = from && next.items.get(from.item.key);
        if (!from || !to) return;
        const { scale } = camera.peek();
        camera.value = {
            scale,
            x: camera.peek().x + to.x - from.x,
            y: camera.peek().y + to.y - from.y,
        };
    };

    return {
        camera,
        screen,
        fit: () => {
            if (scene) camera.value = fitted(scene, screen.peek());
        },
        show: (key) => {
            const place = scene?.items.get(key);
            if (place?.item.parent)
                camera.value =
                    place.width * camera.peek().scale > screen.peek().width
                        ? centred(camera.peek(), { ...place, height: 0 }, screen.peek())
                        : revealing(camera.peek(), place, screen.peek(), 0.3);
            else wanted.current = key;
        },
        hold: (key) => (held.current = key),
        fitNext: () => (isFitting.current = true),
    };
}
