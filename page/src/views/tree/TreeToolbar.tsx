import { typesIn } from "../../model/rows";
import type { Tone } from "../../model/status";
import { Button } from "../../parts/Button";
import { ToneIcon, TONE_WORDS } from "../../parts/Status";
import { route, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";

const TONES: Tone[] = ["failed", "running", "waiting", "done", "idle"];

/** Resources are counted without the nested stacks that hold them. */
function nestedText(store: StackStore): string {
    const nested = (store.tree?.stacks.size ?? 1) - 1;
    if (nested <= 0) return "";
    return `, ${nested.toLocaleString("en")} nested ${nested === 1 ? "stack" : "stacks"}`;
}

export function TreeToolbar({ store, shown }: { store: StackStore; shown: number }) {
    const { query } = route.value;
    const tones = new Set((query["status"] ?? "").split(",").filter(Boolean));
    const counts = store.counts.value;
    const types = store.tree ? typesIn(store.tree.root) : [];
    const toggleTone = (tone: Tone): void => {
        const next = new Set(tones);
        if (!next.delete(tone)) next.add(tone);
        setQuery({ status: [...next].join(",") });
    };
    const isFiltered = !!(query["q"] || query["status"] || query["type"]);
    return (
        <div class="toolbar tree-toolbar" role="group" aria-label="Filters">
            <input
                class="input"
                type="search"
                placeholder="Name, path or id"
                aria-label="Filter by name, path or physical id"
                value={query["q"] ?? ""}
                onInput={(event) => setQuery({ q: event.currentTarget.value })}
            />
            <select
                class="input tree-types"
                aria-label="Filter by type"
                value={query["type"] ?? ""}
                onChange={(event) => setQuery({ type: event.currentTarget.value })}
            >
                <option value="">All types</option>
                {types.map(([type, count]) => (
                    <option key={type} value={type}>
                        {type} ({count})
                    </option>
                ))}
            </select>
            <span class="tree-tones" role="group" aria-label="Filter by status">
                {TONES.filter((tone) => counts[tone] > 0 || tones.has(tone)).map((tone) => (
                    <button
                        key={tone}
                        type="button"
                        class="tree-tone"
                        aria-pressed={tones.has(tone)}
                        onClick={() => toggleTone(tone)}
                    >
                        <ToneIcon tone={tone} label="" /> {TONE_WORDS[tone]}{" "}
                        <b class="number">{counts[tone]}</b>
                    </button>
                ))}
            </span>
            <label class="row">
                <input
                    type="checkbox"
                    checked={query["order"] === "failures"}
                    onChange={(event) =>
                        setQuery({ order: event.currentTarget.checked ? "failures" : "" })
                    }
                />
                failures first
            </label>
            <span class="stretch" />
            <span class="muted number" role="status">
                {isFiltered
                    ? `${shown} of ${store.tree?.nodes.size ?? 0} resources`
                    : `${counts.total} resources${nestedText(store)}`}
            </span>
            {isFiltered ? (
                <Button kind="quiet" onClick={() => setQuery({ q: "", status: "", type: "" })}>
                    Clear filters
                </Button>
            ) : (
                <>
                    <Button kind="quiet" onClick={() => setQuery({ open: "all" })}>
                        Open all
                    </Button>
                    <Button kind="quiet" onClick={() => setQuery({ open: "none" })}>
                        Close all
                    </Button>
                </>
            )}
        </div>
    );
}
