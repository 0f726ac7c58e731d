/** The environment files in their order, and every value that counts with where it is from. */
import { useMemo } from "preact/hooks";
import { showEnvironment } from "../../api/recipe";
import type { Environment, Place } from "../../api/recipe";
import { effectiveValues } from "../../model/environment";
import type { EffectiveValue } from "../../model/environment";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { useLoaded } from "../../parts/useLoaded";
import { Value } from "../../parts/Value";
import { route, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";
import "./environment.css";

export default function EnvironmentView({ store }: { store: StackStore }) {
    const key = `${store.at.id} ${store.stack.value?.updated_time ?? ""}`;
    const found = useLoaded((signal) => showEnvironment(store.at, signal), key);
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Environment" />;
    return (
        <div class="view-body">
            <Files environment={found.data} />
            <Values environment={found.data} />
        </div>
    );
}

function Files({ environment }: { environment: Environment }) {
    const files = environment.environment_files;
    return (
        <section>
            <h2>Files, in their order</h2>
            {files.length === 0 ? (
                <p class="muted">This stack has no environment files.</p>
            ) : (
                <ol class="environment-files">
                    {files.map((file, index) => {
                        const cleared = environment.cleared_parameters[file] ?? [];
                        return (
                            <li key={`${index} ${file}`}>
                                <b>{environment.environment_file_names[file] ?? file}</b>
                                {(environment.environment_file_names[file] ?? file) !==
                                    file && <code class="muted"> {file}</code>}
                                {cleared.length > 0 && (
                                    <span class="muted"> (cleared: {cleared.join(", ")})</span>
                                )}
                            </li>
                        );
                    })}
                </ol>
            )}
            <p class="muted">
                A later one wins over an earlier one; explicit parameters win over all of them.
            </p>
        </section>
    );
}

const columns: Column<EffectiveValue>[] = [
    {
        id: "path",
        title: "Value of",
        sort: (row) => row.path.join("."),
        cell: (row) => (
            <>
                <b>{row.path.slice(1).join(".") || row.path[0]}</b>
                <div class="muted">{row.path[0]}</div>
            </>
        ),
    },
    { id: "value", title: "Value", cell: (row) => <Value value={row.value} /> },
    {
        id: "from",
        title: "From",
        sort: (row) => shownPlace(row.from[0]),
        cell: (row) =>
            row.from.map((place, index) => (
                <div key={index}>{<code>{shownPlace(place)}</code>}</div>
            )),
    },
    {
        id: "overrode",
        title: "Overrode",
        cell: (row) =>
            row.overrode.length === 0 ? (
                <span class="muted">nothing</span>
            ) : (
                <ul class="environment-overrode">
                    {row.overrode.map((each, index) => (
                        <li key={index}>
                            <code>{shownPlace(each)}</code>: <Value value={each.value} />
                        </li>
                    ))}
                </ul>
            ),
    },
];

function Values({ environment }: { environment: Environment }) {
    const text = route.value.query["q"] ?? "";
    const all = useMemo(() => effectiveValues(environment), [environment]);
    const shown = text
        ? all.filter((each) =>
              `${each.path.join(".")} ${each.from.map(shownPlace).join(" ")}`
                  .toLowerCase()
                  .includes(text.toLowerCase()),
          )
        : all;
    if (all.length === 0)
        return (
            <Empty title="No values">
                <p>
                    No environment gives a value. The template&apos;s own defaults count; see
                    Parameters.
                </p>
            </Empty>
        );
    return (
        <section class="environment-values">
            <div class="toolbar">
                <h2>What it comes to</h2>
                <input
                    class="input"
                    type="search"
                    placeholder="Name or file"
                    aria-label="Filter by name or file"
                    value={text}
                    onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <span class="muted number">
                    {shown.length} of {all.length}
                </span>
            </div>
            <Table
                label="Effective values"
                columns={columns}
                rows={shown}
                keyOf={(row) => row.path.join("\n")}
                initial="path"
            />
        </section>
    );
}

export function shownPlace(place: Place | undefined): string {
    if (!place) return "";
    return place.line ? `${place.file}:${place.line}` : place.file;
}
