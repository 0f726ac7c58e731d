import { requiredBy, requires, versionsOf } from "../../model/dependencies";
import { clock } from "../../model/times";
import { toneOf } from "../../model/status";
import type { ResourceNode } from "../../model/tree";
import { CopyButton } from "../../parts/CopyButton";
import { Progress } from "../../parts/Progress";
import { ToneIcon } from "../../parts/Status";
import { select } from "../../state/route";
import type { StackStore } from "../../state/stack";

export interface PartProps {
    store: StackStore;
    node: ResourceNode;
}

/** What is said where there is nothing to say. */
const NO_REASON = "state changed";

export function Overview({ store, node }: PartProps) {
    const counts = node.child && store.rollUps.value.get(node.child.id);
    const versions = versionsOf(node);
    return (
        <>
            {node.reason && node.reason !== NO_REASON && (
                <p
                    class={`panel-reason ${toneOf(node.status, node.hook) === "failed" ? "failed" : ""}`}
                >
                    {node.reason}
                </p>
            )}
            <dl class="facts">
                <dt>Type</dt>
                <dd>
                    <code>{node.type}</code>
                </dd>
                <dt>Physical id</dt>
                <dd>
                    {node.physicalId ? (
                        <>
                            <code>{node.physicalId}</code>{" "}
                            <CopyButton text={node.physicalId} label="Copy the physical id" />
                        </>
                    ) : (
                        <span class="muted">none yet</span>
                    )}
                </dd>
                <dt>Created</dt>
                <dd>{clock(node.created)}</dd>
                <dt>Updated</dt>
                <dd>{clock(node.updated)}</dd>
                {counts && node.child && (
                    <>
                        <dt>Nested stack</dt>
                        <dd>
                            <code>{node.child.name}</code>
                            <br />
                            {counts.done} of {counts.total} complete
                            <Progress counts={counts} />
                        </dd>
                    </>
                )}
            </dl>
            <h3>Requires</h3>
            <Names nodes={requires(node)} none="It requires nothing in its stack." />
            <h3>Required by</h3>
            <Names nodes={requiredBy(node)} none="Nothing in its stack requires it." />
            <h3>Versions</h3>
            <ul class="panel-list">
                {versions.map((each) => (
                    <li key={each.key}>
                        <ToneIcon tone={toneOf(each.status, each.hook)} />{" "}
                        {each === node ? (
                            <b>{each.status}</b>
                        ) : (
                            <Link node={each} text={each.status} />
                        )}{" "}
                        <span class="muted">
                            {each.isOld ? "old" : "current"}, since {clock(each.created)}
                            {each.physicalId && (
                                <>
                                    , <code>{each.physicalId}</code>
                                </>
                            )}
                        </span>
                    </li>
                ))}
            </ul>
        </>
    );
}

function Names({ nodes, none }: { nodes: ResourceNode[]; none: string }) {
    if (nodes.length === 0) return <p class="muted">{none}</p>;
    return (
        <ul class="panel-list">
            {nodes.map((each) => (
                <li key={each.key}>
                    <ToneIcon tone={toneOf(each.status, each.hook)} />{" "}
                    <Link node={each} text={each.name} /> <span class="muted">{each.type}</span>
                </li>
            ))}
        </ul>
    );
}

function Link({ node, text }: { node: ResourceNode; text: string }) {
    return (
        <button type="button" class="link" onClick={() => select(node.key)}>
            {text}
        </button>
    );
}
