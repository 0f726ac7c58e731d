/** Files, parameters, options and the plan: what creating and updating a stack have in common. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { Loading } from "../../parts/Messages";
import { isAdoption } from "../../model/adoption";
import { changesText, countsOf, hasChanges } from "../../model/plan";
import type { StepCounts } from "../../model/plan";
import { navigate, route, sectionHref } from "../../state/route";
import { Plan } from "../plan/Plan";
import type { Draft } from "./draft";
import { DropTarget, DropZone } from "./DropZone";
import { Editor } from "./Editor";
import { FileList, Missing } from "./FileList";
import { ParameterForm } from "./ParameterForm";
import { Problems } from "./Problems";
import { Options } from "./Options";
import "./create.css";

/** What the API says of a template that says nothing of itself. */
const NO_DESCRIPTION = "No description";

interface Place {
    name: string;
    line: number;
}

export function RecipeEditor({ draft, onDone }: { draft: Draft; onDone: () => void }) {
    const [editing, setEditing] = useState<Place>({ name: "", line: 0 });
    const edit = (name: string, line = 0): void => setEditing({ name, line });
    const file = draft.files.value.find((each) => each.name === editing.name);
    const names = draft.files.value.map((each) => each.name);
    const gathered = draft.gathered.value;
    const templates = names.filter((name) => gathered?.kinds[name] === "template");
    return (
        <DropTarget draft={draft}>
            <section class="create-part" aria-label="Files">
                <h2>Files</h2>
                <DropZone draft={draft} onEdit={edit} />
                {names.length > 0 && (
                    <FileList draft={draft} editing={editing.name} onEdit={edit} />
                )}
                {file && (
                    <Editor
                        key={file.name}
                        name={file.name}
                        text={file.text}
                        line={editing.line}
                        onChange={(text) => draft.write(file.name, text)}
                    />
                )}
                {names.length === 1 && isAdoption(draft.files.value[0]?.text ?? "") && (
                    <p class="note-box" role="status">
                        This looks like what <em>Abandon</em> writes. To make a stack of the
                        objects in it, <a href={sectionHref("adopt")}>adopt it</a>.
                    </p>
                )}
                {gathered && !gathered.template && (
                    <p class="note-box" role="status">
                        {templates.length === 0
                            ? "None of these files is a template: one has heat_template_version in it. Drop it as well."
                            : "Several of these files may be the template. Choose one above: “Use as the template”."}
                    </p>
                )}
                <Missing draft={draft} onEdit={edit} />
                {draft.error.value !== null && (
                    <Problems
                        error={draft.error.value}
                        template={draft.gathered.value?.template ?? ""}
                        files={names}
                        onEdit={edit}
                    />
                )}
            </section>
            {draft.validated.value && (
                <>
                    {draft.validated.value.Description !== NO_DESCRIPTION && (
                        <p class="create-description">{draft.validated.value.Description}</p>
                    )}
                    <section class="create-part" aria-label="Parameters">
                        <h2>Parameters</h2>
                        <ParameterForm draft={draft} />
                    </section>
                    <Options draft={draft} />
                    <PlanPart draft={draft} names={names} onEdit={edit} onDone={onDone} />
                </>
            )}
        </DropTarget>
    );
}

interface PlanProps {
    draft: Draft;
    names: readonly string[];
    onEdit: (name: string, line?: number) => void;
    onDone: () => void;
}

function buttonText(draft: Draft, counts: StepCounts): string {
    if (draft.at)
        return hasChanges(counts) ? `Update: ${changesText(counts)}` : "Update all the same";
    const { create } = counts;
    const words = create === 1 ? "1 resource" : `${create.toLocaleString("en")} resources`;
    return `Create ${draft.stackName.value}: ${words}`;
}

/** Nothing happens before its plan was shown. */
function PlanPart({ draft, names, onEdit, onDone }: PlanProps) {
    const plan = draft.plan.value;
    const part = useRef<HTMLElement>(null);
    useEffect(() => {
        if (plan) part.current?.scrollIntoView({ block: "start" });
    }, [plan]);
    const isBusy = draft.isPlanning.value || draft.isLooking.value;
    const counts = plan && countsOf(plan);
    const send = async (): Promise<void> => {
        const at = await draft.send();
        if (!at) return;
        onDone();
        const rest = [at.name, at.id, "tree"];
        navigate({ project: route.value.project, section: "stacks", rest, query: {} });
    };
    const isRefused = !!counts && counts.refuse > 0;
    return (
        <section class="create-part" aria-label="Plan" ref={part}>
            <h2>Plan</h2>
            {!plan && (
                <p class="muted">
                    Look at what will happen before anything does: every resource through all
                    nesting, and why.
                </p>
            )}
            {plan && <Plan name={draft.at?.name ?? draft.stackName.value} steps={plan} />}
            {draft.planError.value !== null && (
                <Problems
                    error={draft.planError.value}
                    template={draft.gathered.value?.template ?? ""}
                    files={names}
                    onEdit={onEdit}
                />
            )}
            {draft.showsFaults.value && draft.hasFaults.value && (
                <p class="failed" role="alert">
                    Some parameters above need another value.
                </p>
            )}
            {isRefused && (
                <p class="failed">
                    The environment forbids some of it. Change the files, or lift the
                    restriction.
                </p>
            )}
            <div class="row create-buttons">
                <Button
                    kind={plan ? "" : "primary"}
                    disabled={isBusy}
                    onClick={() => void draft.makePlan()}
                >
                    {plan ? "Make the plan anew" : "Show the plan"}
                </Button>
                {plan && counts && (
                    <Button
                        kind="primary"
                        disabled={isBusy || isRefused}
                        onClick={() => void send()}
                    >
                        {buttonText(draft, counts)}
                    </Button>
                )}
                {draft.isPlanning.value && <Loading what="Working" />}
            </div>
        </section>
    );
}
