/** Which part of the picture is on the screen: a point of it in the corner, and a scale. */
import type { Rect } from "../../layout/scene";
import type { Point, Size } from "../../layout/shape";

export interface Camera extends Point {
    scale: number;
}

export const SMALLEST = 0.01;
export const LARGEST = 2.5;
const MARGIN = 24;

const bounded = (scale: number): number => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** All of a picture in the middle of the screen, at most in its own size. */
export function fitted(picture: Size, screen: Size): Camera {
    const scale = bounded(
        Math.min(
            1,
            (screen.width - 2 * MARGIN) / Math.max(1, picture.width),
            (screen.height - 2 * MARGIN) / Math.max(1, picture.height),
        ),
    );
    return {
        scale,
        x: (picture.width - screen.width / scale) / 2,
        y: (picture.height - screen.height / scale) / 2,
    };
}

/** As much of a picture as can be read: all of it, or where it begins. */
export function begun(picture: Size, screen: Size, readable: number): Camera {
    const whole = fitted(picture, screen);
    if (whole.scale >= readable) return whole;
    const width = screen.width / readable;
    const height = screen.height / readable;
    const gap = MARGIN / readable;
    return {
        scale: readable,
        x: picture.width + 2 * gap > width ? -gap : (picture.width - width) / 2,
        y: (picture.height - height) / 2,
    };
}

/** Zoom; the point of the screen stays where it is. */
export function zoomed(camera: Camera, factor: number, at: Point): Camera {
    const scale = bounded(camera.scale * factor);
    return {
        scale,
        x: camera.x + at.x / camera.scale - at.x / scale,
        y: camera.y + at.y / camera.scale - at.y / scale,
    };
}

/** Move by so many pixels of the screen. */
export function panned(camera: Camera, dx: number, dy: number): Camera {
    return {
        ...camera,
        x: camera.x - dx / camera.scale,
        y: camera.y - dy / camera.scale,
    };
}

export function sightOf(camera: Camera, screen: Size, margin = 0): Rect {
    const width = screen.width / camera.scale;
    const height = screen.height / camera.scale;
    return {
        x: camera.x - width * margin,
        y: camera.y - height * margin,
        width: width * (1 + 2 * margin),
        height: height * (1 + 2 * margin),
    };
}

/** Move as little as needed to show a place, and make it readable. */
export function revealing(camera: Camera, place: Rect, screen: Size, readable = 0.5): Camera {
    if (camera.scale < readable && place.width * readable < screen.width) {
        const scale = Math.min(1, Math.max(readable, camera.scale));
        return centred({ ...camera, scale }, place, screen);
    }
    const sight = sightOf(camera, screen);
    const gap = MARGIN / camera.scale;
    const shift = (from: number, size: number, begin: number, room: number): number => {
        if (from < begin + gap || size + 2 * gap > room) return from - gap - begin;
        return Math.max(0, from + size + gap - begin - room);
    };
    return {
        ...camera,
        x: camera.x + shift(place.x, place.width, sight.x, sight.width),
        y: camera.y + shift(place.y, place.height, sight.y, sight.height),
    };
}

export function centred(camera: Camera, place: Rect, screen: Size): Camera {
    return {
        scale: camera.scale,
        x: place.x + place.width / 2 - screen.width / camera.scale / 2,
        y: place.y + place.height / 2 - screen.height / camera.scale / 2,
    };
}
