/** The picture as a file of its own: SVG with its styles inside, or PNG. */
import { render } from "preact";
import type { Scene } from "../../layout/scene";
import type { Counts } from "../../model/tree";
import { Shape } from "./Picture";
import type { Marks } from "./Picture";
import { Heads, LineOf } from "./Shapes";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 24;
/** So many elements are made before the browser may do something else. */
const PIECE = 150;
/** Browsers refuse larger pictures. */
const LARGEST_SIDE = 12_000;
const LARGEST_AREA = 60_000_000;
const NO_MARKS: Marks = { selected: "", active: "", found: null, pointed: "" };

export async function svgOf(
    scene: Scene,
    rollUps: ReadonlyMap<string, Counts>,
    title: string,
): Promise<string> {
    const width = Math.ceil(scene.width + 2 * MARGIN);
    const height = Math.ceil(scene.height + 2 * MARGIN);
    const pieces: string[] = [];
    const all = [...scene.items.values()].filter((each) => each.item.parent !== null);
    const add = async <T,>(things: readonly T[], draw: (thing: T) => preact.VNode) => {
        for (let begin = 0; begin < things.length; begin += PIECE) {
            pieces.push(markup(<>{things.slice(begin, begin + PIECE).map(draw)}</>));
            await new Promise((resolve) => setTimeout(resolve));
        }
    };
    const shape = (placed: (typeof all)[number]) => (
        <Shape placed={placed} marks={NO_MARKS} rollUps={rollUps} />
    );
    await add(
        all.filter((each) => each.item.isOpen),
        shape,
    );
    await add(
        [...scene.items.values()].flatMap((each) => each.lines),
        (placed) => <LineOf placed={placed} isLit={false} />,
    );
    await add(
        all.filter((each) => !each.item.isOpen),
        shape,
    );
    const style = styles();
    return [
        `<svg xmlns="${SVG}" class="topo-picture topo-file" width="${width}" height="${height}"`,
        ` viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" role="img">`,
        `<title>${escaped(title)}</title><style>${escaped(style)}</style>`,
        `<rect class="topo-paper" x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}"/>`,
        markup(<Heads />),
        ...pieces,
        "</svg>",
    ].join("");
}

export async function pngOf(svg: string, scene: Scene): Promise<Blob> {
    const width = scene.width + 2 * MARGIN;
    const height = scene.height + 2 * MARGIN;
    const scale = Math.min(
        2,
        LARGEST_SIDE / Math.max(width, height),
        Math.sqrt(LARGEST_AREA / (width * height)),
    );
    const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    try {
        const image = new Image();
        image.src = address;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = Math.ceil(width * scale);
        canvas.height = Math.ceil(height * scale);
        canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise((resolve, reject) =>
            canvas.toBlob((blob) =>
                blob ? resolve(blob) : reject(new Error("The picture is too large for PNG.")),
            ),
        );
    } finally {
        URL.revokeObjectURL(address);
    }
}

export function saveFile(blob: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function markup(drawing: preact.ComponentChild): string {
    const group = document.createElementNS(SVG, "g");
    render(drawing, group as unknown as Element);
    // Names of attributes and the elements themselves are those of SVG; the browser writes them well.
    const text = new XMLSerializer().serializeToString(group);
    render(null, group as unknown as Element);
    return text;
}

/** The rules of this view, with the colours that the page has now. */
function styles(): string {
    const computed = getComputedStyle(document.documentElement);
    const rules: string[] = [];
    const names = new Set<string>();
    for (const sheet of document.styleSheets)
        for (const rule of sheet.cssRules)
            if (rule instanceof CSSStyleRule && rule.selectorText.includes(".topo-")) {
                rules.push(rule.cssText);
                for (const [name] of rule.cssText.matchAll(/--[\w-]+/g)) names.add(name);
            }
    const values = [...names].map((name) => `${name}:${computed.getPropertyValue(name)}`);
    return `svg{${values.join(";")}}${rules.join("")}`;
}

const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
