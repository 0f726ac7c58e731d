/** Mouse, wheel and fingers: drag to move, wheel or two fingers to zoom. */
import { useEffect, useRef } from "preact/hooks";
import type { Point } from "../../layout/shape";

interface Wanted {
    pan: (dx: number, dy: number) => void;
    zoom: (factor: number, at: Point) => void;
}

/** Below this many pixels a press is a click. */
const STILL = 4;

/** Listens on an element; returns whether the last press was a drag, so that its click is none. */
export function useGestures(
    target: SVGSVGElement | null,
    wanted: Wanted,
): { wasDragged: () => boolean } {
    const latest = useRef(wanted);
    latest.current = wanted;
    const travelled = useRef(0);
    useEffect(() => {
        if (!target) return;
        const fingers = new Map<number, Point>();
        const place = (event: MouseEvent): Point => {
            const rect = target.getBoundingClientRect();
            return { x: event.clientX - rect.left, y: event.clientY - rect.top };
        };
        const down = (event: PointerEvent): void => {
            if (event.button !== 0) return;
            if (fingers.size === 0) travelled.current = 0;
            fingers.set(event.pointerId, place(event));
        };
        const move = (event: PointerEvent): void => {
            const before = fingers.get(event.pointerId);
            if (!before) return;
            const at = place(event);
            travelled.current += Math.hypot(at.x - before.x, at.y - before.y);
            if (travelled.current > STILL && !target.hasPointerCapture(event.pointerId))
                target.setPointerCapture(event.pointerId);
            const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
            fingers.set(event.pointerId, at);
            if (other) {
                const far = Math.hypot(at.x - other.x, at.y - other.y);
                const was = Math.hypot(before.x - other.x, before.y - other.y) || 1;
                latest.current.zoom(far / was, {
                    x: (at.x + other.x) / 2,
                    y: (at.y + other.y) / 2,
                });
                latest.current.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
            } else if (travelled.current > STILL)
                latest.current.pan(at.x - before.x, at.y - before.y);
        };
        const up = (event: PointerEvent): void => {
            fingers.delete(event.pointerId);
        };
        const wheel = (event: WheelEvent): void => {
            event.preventDefault();
            const lines = event.deltaMode === 1 ? 16 : 1;
            if (event.shiftKey) latest.current.pan(-(event.deltaX || event.deltaY) * lines, 0);
            else {
                const strength = event.ctrlKey ? 0.01 : 0.0016;
                latest.current.zoom(Math.exp(-event.deltaY * lines * strength), place(event));
            }
        };
        target.addEventListener("pointerdown", down);
        target.addEventListener("pointermove", move);
        target.addEventListener("pointerup", up);
        target.addEventListener("pointercancel", up);
        target.addEventListener("wheel", wheel, { passive: false });
        return () => {
            target.removeEventListener("pointerdown", down);
            target.removeEventListener("pointermove", move);
            target.removeEventListener("pointerup", up);
            target.removeEventListener("pointercancel", up);
            target.removeEventListener("wheel", wheel);
        };
    }, [target]);
    return { wasDragged: () => travelled.current > STILL };
}
