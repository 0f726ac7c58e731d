/** All events of a stack as histories: every page of the list once, then what the stream brings. */
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { listEvents } from "../../api/events";
import { Histories } from "../../model/timeline";
import type { StackStore } from "../../state/stack";

const PAGE = 1000;
/** Many events that come together are drawn together. */
const PAUSE = 200;
/** While pages come, what is known so far is drawn so often. */
const BETWEEN = 1500;

export interface Loaded {
    histories: Histories;
    /** Counts up when there is more in the histories. */
    version: Signal<number>;
    isLoading: Signal<boolean>;
    error: Signal<unknown>;
    retry: () => void;
}

export function useHistories(store: StackStore): Loaded {
    const histories = useMemo(() => new Histories(store.at.id), [store]);
    const version = useSignal(0);
    const isLoading = useSignal(true);
    const error = useSignal<unknown>(null);
    const turn = useSignal(0);
    useEffect(() => {
        const stop = new AbortController();
        isLoading.value = true;
        error.value = null;
        load(store, histories, stop.signal, () => (version.value += 1)).then(
            () => (isLoading.value = false),
            (reason: unknown) => {
                if (stop.signal.aborted) return;
                isLoading.value = false;
                error.value = reason;
            },
        );
        return () => stop.abort();
    }, [store, turn.value]);
    useEffect(() => {
        let timer = 0;
        let last = "";
        const take = (): void => {
            timer = 0;
            const from = newestAfter(store, last);
            if (from.length === 0) return;
            last = from[from.length - 1]?.id ?? "";
            histories.add(from);
            version.value += 1;
        };
        return store.revision.subscribe(() => {
            // Events of the stream are later than those of the pages: they wait for them.
            if (isLoading.peek() || timer) return;
            timer = window.setTimeout(take, PAUSE);
        });
    }, [store, isLoading.value]);
    return { histories, version, isLoading, error, retry: () => (turn.value += 1) };
}

async function load(
    store: StackStore,
    histories: Histories,
    signal: AbortSignal,
    onMore: () => void,
): Promise<void> {
    let marker = "";
    let shown = -Infinity;
    for (;;) {
        const page = await listEvents(
            store.at,
            { sort_dir: "asc", limit: PAGE, ...(marker ? { marker } : {}) },
            signal,
        );
        histories.add(page);
        const isLast = page.length < PAGE;
        if (isLast || performance.now() - shown > BETWEEN) {
            onMore();
            shown = performance.now();
        }
        marker = page[page.length - 1]?.id ?? "";
        if (isLast) return;
    }
}

/** The events of the store behind the one with an id; all of them if it is no longer kept. */
function newestAfter(store: StackStore, id: string): StackStore["events"] {
    for (let index = store.events.length - 1; index >= 0; index -= 1)
        if (store.events[index]?.id === id) return store.events.slice(index + 1);
    return store.events.slice();
}
