/** A plan: what happens to which resource, why, and where each new value comes from. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import {
    countsOf,
    countsText,
    differencesOf,
    foldedSteps,
    hasChanges,
    placeOf,
    rootsOf,
    STEP_SIGNS,
    STEP_WORDS,
} from "../../model/plan";
import type { Change, FoldedStep, PlannedStep } from "../../model/plan";
import "./plan.css";

const MOST = 200;

export function Plan({ name, steps }: { name: string; steps: readonly PlannedStep[] }) {
    const [showsAll, setShowsAll] = useState(false);
    const counts = countsOf(steps);
    const folded = foldedSteps(steps, showsAll);
    const shown = showsAll ? folded : folded.slice(0, MOST);
    const every = steps.filter((each) => each.step !== "leave").length;
    const differing = steps.filter((each) => each.differsIn.length > 0);
    return (
        <div class="plan">
            <p class="plan-counts" role="status">
                Plan for <strong>{name}</strong>: {countsText(counts)}
            </p>
            {!hasChanges(counts) && (
                <p class="muted">There is nothing to do: the stack is as these files say.</p>
            )}
            {shown.length > 0 && (
                <ol class="plan-steps" aria-label="Steps of the plan">
                    {shown.map((each) => (
                        <PlanStep
                            key={`${each.path.join("/")} ${each.step.step}`}
                            folded={each}
                        />
                    ))}
                </ol>
            )}
            {!showsAll && every > shown.length && (
                <div>
                    <Button onClick={() => setShowsAll(true)}>
                        Show all {every.toLocaleString("en")} steps one by one
                    </Button>
                </div>
            )}
            {differing.length > 0 && (
                <div class="note-box">
                    {differing.slice(0, 20).map((each) => (
                        <div key={each.path.join("/")}>
                            <code>{each.path.join(".")}</code> differs in:{" "}
                            {each.differsIn.join(", ")}
                        </div>
                    ))}
                    <p class="muted">
                        That stays as the last check found it; “Converge” brings it back.
                    </p>
                </div>
            )}
        </div>
    );
}

function PlanStep({ folded }: { folded: FoldedStep }) {
    const { step, count, path } = folded;
    const notes = [
        count > 1 ? `each of ${count.toLocaleString("en")}` : "",
        step.isCertain ? "" : "a value is only known later",
        step.isKept ? "its object stays" : "",
    ].filter(Boolean);
    return (
        <li class={`plan-step ${step.step}`}>
            <span class="plan-sign" aria-hidden="true">
                {STEP_SIGNS[step.step]}
            </span>
            <span class="plan-word">{STEP_WORDS[step.step]}</span>
            <span class="plan-path">{path.join(".")}</span>
            <span class="muted plan-type">{step.type}</span>
            {notes.length > 0 && <span class="plan-note">({notes.join("; ")})</span>}
            {(step.changes.length > 0 || step.reason) && (
                <div class="plan-more">
                    {step.changes.map((change) => (
                        <ChangeLines key={change.property} change={change} />
                    ))}
                    {step.reason && (
                        <div>
                            <span class="muted">why:</span> {step.reason}
                            {step.written && (
                                <span class="muted"> (written at {placeOf(step.written)})</span>
                            )}
                        </div>
                    )}
                </div>
            )}
        </li>
    );
}

function ChangeLines({ change }: { change: Change }) {
    const roots = rootsOf(change.sources);
    return (
        <>
            {differencesOf(change.property, change.old, change.new).map((each) => (
                <div key={each.name} class="plan-change">
                    <code>{each.name}</code>: <del>{each.old}</del>{" "}
                    <span aria-label="becomes">→</span> <ins>{each.new}</ins>
                    {roots.length > 0 && (
                        <span class="muted"> (from {roots.join(" and ")})</span>
                    )}
                </div>
            ))}
        </>
    );
}
