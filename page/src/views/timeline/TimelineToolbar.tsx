/** Which operation, how close, and what took the time. */
import type { Operation } from "../../model/timeline";
import type { CriticalPath, Range } from "../../model/timelineRows";
import { clock, span } from "../../model/times";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { route, setQuery } from "../../state/route";

interface Props {
    operations: readonly Operation[];
    operation: Operation | undefined;
    range: Range;
    path: CriticalPath | null;
    zoom: number;
    onZoom: (zoom: number) => void;
    now: number;
}

export function TimelineToolbar(props: Props) {
    const { operations, operation, range, path, zoom, onZoom, now } = props;
    const isOnly = route.value.query["only"] === "critical";
    const count = path?.lanes.length ?? 0;
    return (
        <div class="toolbar timeline-toolbar" role="group" aria-label="Timeline">
            <select
                class="input"
                aria-label="Operation"
                value={operation?.id ?? "all"}
                onChange={(event) => {
                    const id = event.currentTarget.value;
                    const isLast = id === operations[operations.length - 1]?.id;
                    setQuery({ op: isLast ? "" : id, zoom: "" });
                }}
            >
                {[...operations].reverse().map((each) => (
                    <option key={each.id} value={each.id}>
                        {each.action} {clock(new Date(each.begin).toISOString(), now)},{" "}
                        {each.end === null
                            ? "in progress"
                            : `${each.status.toLowerCase()} after ${span(each.end - each.begin)}`}
                    </option>
                ))}
                <option value="all">All operations</option>
            </select>
            <label class="row">
                <input
                    type="checkbox"
                    checked={isOnly}
                    disabled={path === null}
                    onChange={(event) =>
                        setQuery({ only: event.currentTarget.checked ? "critical" : "" })
                    }
                />
                critical path only
            </label>
            {path && count > 0 && (
                <span class="muted" role="status">
                    <span class="timeline-flag" aria-hidden="true">
                        ◆
                    </span>{" "}
                    {count === 1 ? "1 resource" : `${count} resources`}, {span(path.taken)} of{" "}
                    {span(range.end - range.begin)}
                </span>
            )}
            <span class="stretch" />
            <Button
                kind="quiet"
                onClick={() => setQuery({ boxes: "all", opened: "", closed: "" })}
            >
                Open all
            </Button>
            <Button
                kind="quiet"
                onClick={() => setQuery({ boxes: "none", opened: "", closed: "" })}
            >
                Close all
            </Button>
            <span class="timeline-zoom" role="group" aria-label="Zoom">
                <Button
                    kind="quiet"
                    aria-label="Zoom out"
                    disabled={zoom <= 1}
                    onClick={() => onZoom(zoom / 1.5)}
                >
                    <Icon name="dash" size={12} />
                </Button>
                <Button kind="quiet" aria-label="Zoom in" onClick={() => onZoom(zoom * 1.5)}>
                    <Icon name="plus" size={12} />
                </Button>
                <Button kind="quiet" disabled={zoom <= 1} onClick={() => onZoom(1)}>
                    Fit
                </Button>
            </span>
        </div>
    );
}
