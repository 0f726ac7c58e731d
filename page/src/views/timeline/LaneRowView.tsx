/** One resource in time: its name, when it began, how long it took, and its bars. */
import type { Lane, LaneRow, Range } from "../../model/timelineRows";
import type { Span, Wait } from "../../model/timeline";
import { toneOf } from "../../model/status";
import type { Tone } from "../../model/status";
import { span as spanText } from "../../model/times";
import { Icon } from "../../parts/Icon";
import { ICONS, ToneIcon } from "../../parts/Status";

interface Props {
    id: string;
    row: LaneRow;
    range: Range;
    now: number;
    /** The width of the axis in pixels. */
    width: number;
    isActive: boolean;
    isSelected: boolean;
    onToggle: () => void;
    onSelect: () => void;
}

/** Made once: the browser takes long to make one, and a row has several times. */
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Above this width the action stands inside its bar. */
const WIDE = 74;

export const toneOfSpan = (span: Span): Tone => {
    if (span.end === null) return "running";
    const tone = toneOf(`${span.action}_${span.status}`);
    // What was deleted is done, and not only absent, where time is shown.
    return tone === "idle" ? "done" : tone;
};

export function LaneRowView(props: Props) {
    const { id, row, range, now, width, isActive, isSelected, onToggle, onSelect } = props;
    const { lane } = row;
    const last = lane.spans[lane.spans.length - 1];
    const waiting = lane.waits.find((wait) => wait.end === null);
    const tone: Tone = waiting ? "waiting" : last ? toneOfSpan(last) : "idle";
    const classes = ["timeline-row"];
    if (isActive) classes.push("active");
    if (isSelected) classes.push("selected");
    if (lane.isCritical) classes.push("critical");
    return (
        <div
            id={id}
            role="row"
            class={classes.join(" ")}
            aria-level={row.level}
            aria-posinset={row.position}
            aria-setsize={row.setSize}
            aria-selected={isSelected}
            {...(lane.children.length > 0 ? { "aria-expanded": row.isOpen } : {})}
            data-key={lane.key}
            {...(lane.isCritical ? { "data-critical": "" } : {})}
            onClick={onSelect}
        >
            <span role="rowheader" class="timeline-name">
                <span class="timeline-indent" style={{ width: `${(row.level - 1) * 16}px` }} />
                <span
                    class="timeline-toggle"
                    aria-hidden="true"
                    onClick={(event) => {
                        if (lane.children.length === 0) return;
                        event.stopPropagation();
                        onToggle();
                    }}
                >
                    {lane.children.length > 0 && (
                        <Icon name={row.isOpen ? "down" : "right"} size={12} />
                    )}
                </span>
                <ToneIcon tone={tone} />
                <span class="timeline-text" title={`${lane.path.join("/")}\n${lane.type}`}>
                    {lane.name}
                </span>
                {lane.isCritical && (
                    <span class="timeline-flag" title="on the critical path">
                        <span aria-hidden="true">◆</span>
                        <span class="hidden-text">on the critical path</span>
                    </span>
                )}
            </span>
            <span role="gridcell" class="timeline-start number">
                {TIME.format(lane.begin)}
            </span>
            <span role="gridcell" class="timeline-took number">
                {spanText((lane.isRunning ? Math.max(now, lane.end) : lane.end) - lane.begin)}
            </span>
            <span role="gridcell" class="timeline-track">
                <span class="hidden-text">{wordsOf(lane, now)}</span>
                <Bars lane={lane} range={range} now={now} width={width} />
            </span>
        </div>
    );
}

function wordsOf(lane: Lane, now: number): string {
    const spans = lane.spans.map((each) => spanWords(each, now));
    const waits = lane.waits.map((each) => waitWords(each, now));
    return [...spans, ...waits, ...lane.marks.map(({ words }) => words)].join("; ");
}

function spanWords(each: Span, now: number): string {
    const begin = TIME.format(each.begin);
    const took = spanText((each.end ?? now) - each.begin);
    return `${each.action}_${each.status} from ${begin}, ${each.end === null ? "for" : "took"} ${took}`;
}

function waitWords(each: Wait, now: number): string {
    const took = spanText((each.end ?? now) - each.begin);
    return each.end === null
        ? `waits at ${each.hook} for ${took}`
        : `waited at ${each.hook} ${took}`;
}

function Bars({
    lane,
    range,
    now,
    width,
}: {
    lane: Lane;
    range: Range;
    now: number;
    width: number;
}) {
    const length = range.end - range.begin;
    const at = (time: number): number =>
        (100 * (Math.min(range.end, Math.max(range.begin, time)) - range.begin)) / length;
    const place = (begin: number, end: number) => ({
        left: `${at(begin)}%`,
        width: `${at(end) - at(begin)}%`,
    });
    const isBox = lane.children.length > 0;
    return (
        <span aria-hidden="true">
            {lane.begin > range.begin && (
                <i class="timeline-before" style={place(range.begin, lane.begin)} />
            )}
            {lane.spans.map((each) => {
                const end = each.end ?? now;
                const pixels = ((at(end) - at(each.begin)) / 100) * width;
                const tone = toneOfSpan(each);
                return (
                    <i
                        key={`${each.begin}${each.action}${each.physicalId}`}
                        class={`timeline-bar ${tone} ${isBox ? "box" : ""} ${lane.critical.has(each) ? "critical" : ""} action-${each.action.toLowerCase()}`}
                        style={place(each.begin, end)}
                        title={`${spanWords(each, now)}\n${each.reason}`}
                    >
                        {pixels > WIDE ? (
                            <>
                                <Icon name={ICONS[tone]} size={10} /> {each.action}
                                {pixels > 2 * WIDE ? ` ${spanText(end - each.begin)}` : ""}
                            </>
                        ) : pixels > 18 || tone === "failed" ? (
                            <Icon name={ICONS[tone]} size={10} />
                        ) : (
                            ""
                        )}
                    </i>
                );
            })}
            {lane.waits.map((each) => (
                <i
                    key={`${each.begin}${each.hook}`}
                    class="timeline-bar waiting"
                    style={place(each.begin, each.end ?? now)}
                    title={waitWords(each, now)}
                >
                    <Icon name="pause" size={10} />{" "}
                    {((at(each.end ?? now) - at(each.begin)) / 100) * width > 2 * WIDE
                        ? each.hook
                        : ""}
                </i>
            ))}
            {lane.marks.map((mark, index) => (
                <i
                    key={index}
                    class="timeline-mark"
                    style={{ left: `${at(mark.time)}%` }}
                    title={mark.words}
                />
            ))}
        </span>
    );
}
