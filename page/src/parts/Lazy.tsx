/** A view whose code is fetched when it is shown for the first time. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorBox, Loading } from "./Messages";

interface Loaded<P> {
    default: ComponentType<P>;
}

/** Fetches a view, or has it already. */
export type Load<P> = () => Promise<Loaded<P>> | Loaded<P>;

export function lazy<P extends object>(load: Load<P>): ComponentType<P> {
    let loaded: ComponentType<P> | null = null;
    return function Lazy(props: P) {
        const [View, setView] = useState<ComponentType<P> | null>(() => loaded);
        const [error, setError] = useState<unknown>(null);
        useEffect(() => {
            if (loaded) return;
            Promise.resolve(load()).then(
                (module) => {
                    loaded = module.default;
                    setView(() => module.default);
                },
                (reason: unknown) => setError(reason),
            );
        }, []);
        if (error) return <ErrorBox error={error} onRetry={() => location.reload()} />;
        return View ? <View {...props} /> : <Loading what="Loading" />;
    };
}
