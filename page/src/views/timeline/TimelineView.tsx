import type { StackStore } from "../../state/stack";

export default function TimelineView({ store }: { store: StackStore }) {
    return <p>{store.at.name}</p>;
}
