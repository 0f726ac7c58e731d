/** A new stack out of files. What was begun stays while the user looks at something else. */
import { signal } from "@preact/signals";
import { Button } from "../../parts/Button";
import { Draft } from "./draft";
import { RecipeEditor } from "./RecipeEditor";

const draft = signal(new Draft());

export default function CreateView() {
    const startAnew = (): void => {
        draft.value = new Draft();
    };
    return (
        <div class="page-body create">
            <div class="row">
                <h1 class="stretch">Create a stack</h1>
                {draft.value.files.value.length > 0 && (
                    <Button onClick={startAnew}>Start anew</Button>
                )}
            </div>
            <RecipeEditor draft={draft.value} onDone={startAnew} />
        </div>
    );
}
