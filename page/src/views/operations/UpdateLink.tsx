/** An update needs more room than a dialog has: it leads to a page of its own. */
import { useEffect } from "preact/hooks";
import { navigate, route } from "../../state/route";
import type { StackStore } from "../../state/stack";

export default function UpdateLink({
    store,
    onClose,
}: {
    store: StackStore;
    onClose: () => void;
}) {
    useEffect(() => {
        onClose();
        const rest = [store.at.name, store.at.id];
        navigate({ project: route.value.project, section: "update", rest, query: {} });
    }, []);
    return null;
}
