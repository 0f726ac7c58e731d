/** The template of a stack, and the files that belong to it. */
import { showFiles, showTemplate } from "../../api/recipe";
import { yamlOf } from "../../model/yaml";
import { CopyButton } from "../../parts/CopyButton";
import { ErrorBox, Loading } from "../../parts/Messages";
import { TextView } from "../../parts/TextView";
import { useLoaded } from "../../parts/useLoaded";
import { route, setQuery } from "../../state/route";
import type { StackStore } from "../../state/stack";

export default function TemplateView({ store }: { store: StackStore }) {
    const key = `${store.at.id} ${store.stack.value?.updated_time ?? ""}`;
    const found = useLoaded(async (signal) => {
        const [template, files] = await Promise.all([
            showTemplate(store.at, signal),
            showFiles(store.at, signal),
        ]);
        return { template, files };
    }, key);
    if (found.error) return <ErrorBox error={found.error} onRetry={found.reload} />;
    if (!found.data) return <Loading what="Template" />;
    const { template, files } = found.data;
    const names = Object.keys(files).sort();
    const file = route.value.query["file"] ?? "";
    const line = Number(route.value.query["line"] ?? 0);
    const isFile = file !== "" && file in files;
    const text = isFile ? (files[file] ?? "") : yamlOf(template);
    return (
        <div class="view-body">
            <div class="toolbar">
                <label class="row">
                    Show
                    <select
                        class="input"
                        value={isFile ? file : ""}
                        onChange={(event) =>
                            setQuery({ file: event.currentTarget.value, line: "" })
                        }
                    >
                        <option value="">the template of the stack</option>
                        {names.map((name) => (
                            <option key={name} value={name}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
                <span class="muted">{names.length} files belong to it</span>
                <span class="stretch" />
                <CopyButton text={text} label="Copy the text" />
            </div>
            <TextView text={text} label={isFile ? file : "Template"} line={line} />
        </div>
    );
}
