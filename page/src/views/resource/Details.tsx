/** What has to be asked for: properties, attributes, events, all of it as JSON. */
import {
    resourceEvents,
    showMetadata,
    showProperties,
    showResource,
} from "../../api/resources";
import { clock } from "../../model/times";
import type { ResourceNode } from "../../model/tree";
import { CopyButton } from "../../parts/CopyButton";
import { ErrorBox, Loading } from "../../parts/Messages";
import { StatusBadge } from "../../parts/Status";
import { useLoaded } from "../../parts/useLoaded";
import { Facts, Value } from "../../parts/Value";
import type { PartProps } from "./Overview";

const placeOf = (node: ResourceNode) => ({ name: node.stack.name, id: node.stack.id });
/** It is asked again when the resource has changed. */
const stateOf = (node: ResourceNode): string => `${node.key} ${node.status} ${node.updated}`;

const OLD = "What the API tells is of the version that took its place.";

export function Properties({ node }: PartProps) {
    const properties = useLoaded(
        (signal) => showProperties(placeOf(node), node.name, signal),
        stateOf(node),
    );
    if (properties.error)
        return <ErrorBox error={properties.error} onRetry={properties.reload} />;
    if (!properties.data) return <Loading what="Properties" />;
    return (
        <>
            {node.isOld && <p class="note-box">{OLD}</p>}
            <p class="muted">As they were last applied; secrets are stars.</p>
            <Facts of={properties.data} none="It has no properties." />
        </>
    );
}

export function Attributes({ node }: PartProps) {
    const found = useLoaded(
        (signal) => showResource(placeOf(node), node.name, signal),
        stateOf(node),
    );
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Attributes" />;
    const { attributes, attributes_note: note, differences } = found.data;
    return (
        <>
            {node.isOld && <p class="note-box">{OLD}</p>}
            {note && <p class="note-box">{note}</p>}
            <Facts of={attributes} none="Its type has no attributes." />
            {differences.length > 0 && (
                <>
                    <h3>Differences</h3>
                    <p class="muted">
                        What the last check found to differ from what was applied.
                    </p>
                    <dl class="facts stacked">
                        {differences.map((each) => (
                            <div key={each.property}>
                                <dt>{each.property}</dt>
                                <dd>
                                    applied <Value value={each.applied} />, live{" "}
                                    <Value value={each.live} />
                                </dd>
                            </div>
                        ))}
                    </dl>
                </>
            )}
        </>
    );
}

const SHOWN = 100;

export function Events({ node }: PartProps) {
    const events = useLoaded(
        (signal) => resourceEvents(placeOf(node), node.name, SHOWN, signal),
        stateOf(node),
    );
    if (events.error) return <ErrorBox error={events.error} onRetry={events.reload} />;
    if (!events.data) return <Loading what="Events" />;
    const signals = events.data.filter((each) => each.resource_status.startsWith("SIGNAL"));
    return (
        <>
            <h3>Signals</h3>
            {signals.length === 0 && <p class="muted">None has arrived.</p>}
            <EventList events={signals} />
            <h3>Events</h3>
            <EventList events={events.data} />
        </>
    );
}

function EventList({ events }: { events: readonly import("../../api/types").StackEvent[] }) {
    return (
        <ol class="panel-list">
            {events.map((each) => (
                <li key={each.id}>
                    <StatusBadge status={each.resource_status} />{" "}
                    <span class="muted">{clock(each.event_time)}</span>
                    <br />
                    {each.resource_status_reason}
                </li>
            ))}
        </ol>
    );
}

export function Raw({ node }: PartProps) {
    const found = useLoaded(async (signal) => {
        const at = placeOf(node);
        const [resource, metadata] = await Promise.all([
            showResource(at, node.name, signal),
            showMetadata(at, node.name, signal).catch(() => null),
        ]);
        return metadata && Object.keys(metadata).length > 0
            ? { ...resource, metadata }
            : resource;
    }, stateOf(node));
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Resource" />;
    const text = JSON.stringify(found.data, null, 2);
    return (
        <>
            <p class="row">
                <span class="muted stretch">As the API tells it.</span>
                <CopyButton text={text} label="Copy the JSON" />
            </p>
            <pre class="code-block" tabIndex={0} aria-label="JSON of the resource">
                {text}
            </pre>
        </>
    );
}
