/** What a layout is asked for and what it answers: one box, with places relative to its corner. */
import type { Line } from "../model/graph";

export interface Point {
    x: number;
    y: number;
}

export interface Size {
    width: number;
    height: number;
}

/** Something with a size, and where lines come to it (left) and go from it (right). */
export interface Part extends Size {
    takesAt: number;
    givesAt: number;
}

/** The inside of a box: equal shapes get equal layouts. */
export interface Shape {
    parts: Part[];
    lines: readonly Line[];
    /** The box around everything has neither title nor padding. */
    isRoot: boolean;
}

export interface Placed extends Part {
    places: Point[];
    /** A path for each line of the shape, in the same order. */
    routes: Point[][];
}

/** What places a graph of parts in layers; the real one is ELK in a worker. */
export type LayerLayout = (shape: Shape) => Promise<Placed>;

export function textOf(shape: Shape): string {
    const parts = shape.parts.map(
        (part) => `${part.width}x${part.height}@${part.takesAt},${part.givesAt}`,
    );
    const lines = shape.lines.map((line) => `${line.from}>${line.to}${line.kind[2]}`);
    return `${shape.isRoot ? "R" : ""}${runs(parts)}|${runs(lines)}`;
}

/** Equal words that follow each other are counted: most groups have one kind of member. */
function runs(words: string[]): string {
    let text = "";
    for (let begin = 0; begin < words.length;) {
        let end = begin + 1;
        while (end < words.length && words[end] === words[begin]) end += 1;
        text += `${words[begin]}${end - begin > 1 ? `*${end - begin}` : ""};`;
        begin = end;
    }
    return text;
}
