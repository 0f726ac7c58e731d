/** What a request answered, for a component: it is asked again when `key` changes. */
import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
    data: T | null;
    error: unknown;
    isLoading: boolean;
    reload: () => void;
}

export function useLoaded<T>(
    load: (signal: AbortSignal) => Promise<T>,
    key: string,
): Loaded<T> {
    const [state, setState] = useState<{ key: string; data: T | null; error: unknown }>({
        key: "",
        data: null,
        error: null,
    });
    const [turn, setTurn] = useState(0);
    const wanted = `${key}#${turn}`;
    useEffect(() => {
        const stop = new AbortController();
        load(stop.signal).then(
            (data) => !stop.signal.aborted && setState({ key: wanted, data, error: null }),
            (error: unknown) =>
                !stop.signal.aborted &&
                setState((before) => ({ ...before, key: wanted, error })),
        );
        return () => stop.abort();
    }, [wanted]);
    return {
        data: state.data,
        error: state.error,
        isLoading: state.key !== wanted,
        reload: () => setTurn((value) => value + 1),
    };
}
