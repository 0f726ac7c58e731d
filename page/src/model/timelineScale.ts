/** Where marks of time stand on an axis, and what they say. */
import { span } from "./times";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
    ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
    ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
    ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
    ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

export interface Tick {
    at: number;
    words: string;
}

/** A step of a round length that takes at least so many pixels. */
export function stepOf(length: number, pixels: number, least = 80): number {
    const enough = (length * least) / Math.max(1, pixels);
    return STEPS.find((step) => step >= enough) ?? 1000 * DAY;
}

/** Ticks from the beginning on, in milliseconds after it. */
export function ticksOf(length: number, pixels: number): Tick[] {
    const step = stepOf(length, pixels);
    const ticks: Tick[] = [];
    for (let at = 0; at <= length; at += step) ticks.push({ at, words: short(at) });
    return ticks;
}

const short = (at: number): string =>
    at >= MINUTE && at < 10 * MINUTE && at % MINUTE === 0 ? `${at / MINUTE} min` : span(at);
