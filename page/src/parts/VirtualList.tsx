/**
 * A long list of rows of one height, of which only those in sight are in the page.
 *
 * The rows are placed by script, not by attributes of style in the text, as the policy wants it.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const BEYOND = 12;

interface Props {
    count: number;
    rowHeight: number;
    /** The row that has to be in sight, such as the one that the keyboard is at. */
    shown?: number;
    frame: RefObject<HTMLDivElement | null>;
    row: (index: number) => ComponentChildren;
}

/** Draws the rows in sight of the scrolling `frame` that contains it. */
export function VirtualRows({ count, rowHeight, shown = -1, frame, row }: Props) {
    const [range, setRange] = useState({ from: 0, to: 60 });
    const last = useRef(range);
    const look = (): void => {
        const element = frame.current;
        if (!element) return;
        const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - BEYOND);
        const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + BEYOND;
        if (from !== last.current.from || to !== last.current.to) {
            last.current = { from, to };
            setRange(last.current);
        }
    };
    useLayoutEffect(() => {
        const element = frame.current;
        if (!element) return;
        look();
        element.addEventListener("scroll", look, { passive: true });
        const watch = new ResizeObserver(look);
        watch.observe(element);
        return () => {
            element.removeEventListener("scroll", look);
            watch.disconnect();
        };
    }, []);
    useEffect(() => {
        const element = frame.current;
        if (!element || shown < 0) return;
        const top = shown * rowHeight;
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top + rowHeight > element.scrollTop + element.clientHeight)
            element.scrollTop = top + rowHeight - element.clientHeight;
    }, [shown]);
    const rows: ComponentChildren[] = [];
    for (let index = range.from; index < Math.min(count, range.to); index += 1)
        rows.push(row(index));
    return (
        <>
            <div
                role="presentation"
                style={{ height: `${Math.min(range.from, count) * rowHeight}px` }}
            />
            {rows}
            <div
                role="presentation"
                style={{ height: `${Math.max(0, count - range.to) * rowHeight}px` }}
            />
        </>
    );
}
