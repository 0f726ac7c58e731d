/** The state of an execution or a task: icon, colour and word. */
import { toneOfState } from "../../model/workflow";
import { ToneIcon } from "../../parts/Status";

export function State({ state }: { state: string }) {
    const tone = toneOfState(state);
    return (
        <span class={`badge ${tone}`}>
            <span class="workflows-state" aria-hidden="true">
                <ToneIcon tone={tone} />
            </span>
            {state || "not run"}{" "}
        </span>
    );
}
