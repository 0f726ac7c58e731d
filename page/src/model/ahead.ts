/**
 * What a tree knows already of the events that are still to come.
 *
 * A tree that was asked for while events arrive is ahead of them: an older event that came later
 * would set a resource back to what it was. The answer names the event up to which all is in it.
 */

const KEPT = 10_000;

export class Ahead {
    private readonly seen = new Set<string>();
    /** Until this event has come, nothing is news. */
    private whole = "";
    /** The same for single stacks, by id. */
    private readonly parts = new Map<string, string>();

    /** The stream begins after this event. */
    begin(marker: string): void {
        if (marker) this.seen.add(marker);
    }

    /** The whole tree has all up to this event. */
    tookWhole(marker: string): void {
        this.parts.clear();
        this.whole = this.seen.has(marker) ? "" : marker;
    }

    /** These stacks have all up to this event. */
    tookParts(stackIds: Iterable<string>, marker: string): void {
        if (!marker || this.seen.has(marker)) return;
        for (const id of stackIds) this.parts.set(id, marker);
    }

    /**
     * Of the events that came while a tree was on its way: those that it does not know yet, because
     * they came after the one up to which all is in it.
     */
    newer<T extends { id: string }>(since: readonly T[], marker: string): readonly T[] {
        const at = since.findIndex((each) => each.id === marker);
        if (at >= 0) return since.slice(at + 1);
        return !marker || this.seen.has(marker) ? since : [];
    }

    /** Note that an event has come; false if the tree knows it already. */
    isNews(eventId: string, stackId: string): boolean {
        const isKnown = this.whole !== "" || this.parts.has(stackId);
        this.seen.add(eventId);
        if (this.seen.size > KEPT) {
            for (const oldest of this.seen) {
                this.seen.delete(oldest);
                break;
            }
        }
        if (eventId === this.whole) this.whole = "";
        for (const [id, marker] of this.parts) if (marker === eventId) this.parts.delete(id);
        return !isKnown;
    }
}
