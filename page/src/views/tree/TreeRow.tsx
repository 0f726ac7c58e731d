import { toneOf } from "../../model/status";
import { ago } from "../../model/times";
import type { Row } from "../../model/rows";
import type { Counts } from "../../model/tree";
import { shortType } from "../../model/typeName";
import { Icon } from "../../parts/Icon";
import { Progress } from "../../parts/Progress";
import { StatusBadge, ToneIcon } from "../../parts/Status";
import { now } from "../../state/clock";

interface Props {
    id: string;
    row: Row;
    counts: Counts | undefined;
    isActive: boolean;
    isSelected: boolean;
    onToggle: () => void;
    onSelect: () => void;
}

export function TreeRow({ id, row, counts, isActive, isSelected, onToggle, onSelect }: Props) {
    const { node } = row;
    const tone = toneOf(node.status, node.hook);
    return (
        <div
            id={id}
            role="treeitem"
            class={`tree-row ${isActive ? "active" : ""} ${isSelected ? "selected" : ""} ${row.isContext ? "context" : ""}`}
            aria-level={row.level}
            aria-posinset={row.position}
            aria-setsize={row.setSize}
            aria-selected={isSelected}
            {...(row.hasChildren ? { "aria-expanded": row.isOpen } : {})}
            data-key={node.key}
            data-status={node.status}
            onClick={onSelect}
        >
            <span class="tree-name" style={{ paddingLeft: `${(row.level - 1) * 18}px` }}>
                {row.hasChildren ? (
                    <span
                        class="tree-toggle"
                        aria-hidden="true"
                        onClick={(event) => {
                            event.stopPropagation();
                            onToggle();
                        }}
                    >
                        <Icon name={row.isOpen ? "down" : "right"} size={12} />
                    </span>
                ) : (
                    <span class="tree-toggle" />
                )}
                <ToneIcon tone={tone} />
                <span class="tree-text">{node.name}</span>
                {node.isOld && <span class="chip">old version</span>}
                {node.isExternal && <span class="chip">external</span>}
            </span>
            <span class="tree-type mono" title={node.type}>
                {shortType(node.type)}
            </span>
            <span class="tree-status">
                <StatusBadge status={node.status} hook={node.hook} />
            </span>
            <span class="tree-more">
                {counts ? (
                    <>
                        <Progress counts={counts} />
                        <span class="number">
                            {counts.done}/{counts.total}
                        </span>
                    </>
                ) : (
                    <span class={`tree-reason ${tone === "failed" ? "failed" : ""}`}>
                        {tone === "failed" || tone === "waiting" ? node.reason : ""}
                    </span>
                )}
            </span>
            <span class="tree-age number">{ago(node.updated, now.value)}</span>
        </div>
    );
}
