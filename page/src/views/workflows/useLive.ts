/** A store that follows something for as long as a component shows it. */
import { useEffect, useMemo } from "preact/hooks";

export function useLive<T extends { close: () => void }>(open: () => T, key: string): T {
    const store = useMemo(open, [key]);
    useEffect(() => () => store.close(), [store]);
    return store;
}
