/** An address that names a stack without its id, as people write it: the id is found for it. */
import { useEffect } from "preact/hooks";
import { get } from "../../api/http";
import type { Stack } from "../../api/types";
import { ErrorBox, Loading } from "../../parts/Messages";
import { useLoaded } from "../../parts/useLoaded";
import { navigate, route } from "../../state/route";

export function StackByName({ name }: { name: string }) {
    const path = `/stacks/${encodeURIComponent(name)}`;
    const found = useLoaded(
        (signal) => get<{ stack: Stack }>(path, { resolve_outputs: false }, signal),
        path,
    );
    const stack = found.data?.stack;
    useEffect(() => {
        if (stack)
            navigate({ ...route.value, rest: [stack.stack_name, stack.id, "tree"] }, true);
    }, [stack]);
    return found.error ? (
        <ErrorBox error={found.error} onRetry={found.reload} />
    ) : (
        <Loading what={name} />
    );
}
