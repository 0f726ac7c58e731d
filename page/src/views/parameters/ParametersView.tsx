/** The values a stack was made with; secrets stay stars. */
import { showEnvironment, showTemplate } from "../../api/recipe";
import type { Place } from "../../api/recipe";
import { Empty, ErrorBox, Loading } from "../../parts/Messages";
import { Table } from "../../parts/Table";
import type { Column } from "../../parts/Table";
import { useLoaded } from "../../parts/useLoaded";
import { Value } from "../../parts/Value";
import type { StackStore } from "../../state/stack";
import { shownPlace } from "../environment/EnvironmentView";

interface Parameter {
    name: string;
    value: string;
    type: string;
    description: string;
    /** Where the value is from; none for the template's own default. */
    from: Place[];
    isPseudo: boolean;
}

const columns: Column<Parameter>[] = [
    {
        id: "name",
        title: "Parameter",
        sort: (row) => row.name,
        cell: (row) => (
            <>
                <b>{row.name}</b>
                {row.description && <div class="muted">{row.description}</div>}
            </>
        ),
    },
    { id: "type", title: "Type", sort: (row) => row.type, cell: (row) => row.type },
    { id: "value", title: "Value", cell: (row) => <Value value={row.value} /> },
    {
        id: "from",
        title: "From",
        cell: (row) =>
            row.isPseudo ? (
                <span class="muted">the engine</span>
            ) : row.from.length > 0 ? (
                row.from.map((place, index) => (
                    <div key={index}>
                        <code>{shownPlace(place)}</code>
                    </div>
                ))
            ) : (
                <span class="muted">the template&apos;s default</span>
            ),
    },
];

export default function ParametersView({ store }: { store: StackStore }) {
    const stack = store.stack.value;
    const key = `${store.at.id} ${stack?.updated_time ?? ""}`;
    const found = useLoaded(
        (signal) =>
            Promise.all([showTemplate(store.at, signal), showEnvironment(store.at, signal)]),
        key,
    );
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data || !stack) return <Loading what="Parameters" />;
    const [template, environment] = found.data;
    const declared = (template["parameters"] ?? {}) as Record<
        string,
        { type?: string; description?: string }
    >;
    const origins = new Map<string, Place[]>();
    for (const section of ["parameter_defaults", "parameters"])
        for (const origin of environment.origins ?? [])
            if (origin.path[0] === section && origin.path.length === 2)
                origins.set(
                    origin.path[1] ?? "",
                    origin.made_of.length > 0 ? origin.made_of : [origin],
                );
    const rows: Parameter[] = Object.entries(stack.parameters).map(([name, value]) => ({
        name,
        value,
        type: declared[name]?.type ?? "",
        description: declared[name]?.description ?? "",
        from: origins.get(name) ?? [],
        isPseudo: name.startsWith("OS::") || name.startsWith("AWS::"),
    }));
    return (
        <div class="view-body">
            {rows.length === 0 ? (
                <Empty title="No parameters">
                    <p>The template asks for none.</p>
                </Empty>
            ) : (
                <Table
                    label="Parameters"
                    columns={columns}
                    rows={rows}
                    keyOf={(row) => row.name}
                    initial="name"
                />
            )}
        </div>
    );
}
