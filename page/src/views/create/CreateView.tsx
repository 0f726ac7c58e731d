/** A new stack out of files. What was begun stays while the user looks at something else. */
import { signal } from "@preact/signals";
import { Button } from "../../parts/Button";
import { Draft, whoAsks } from "./draft";
import { RecipeEditor } from "./RecipeEditor";

const draft = signal(new Draft());

/** Files and values are those of one user in one project: nobody else finds them here. */
let owner = whoAsks();

export default function CreateView() {
    if (owner !== whoAsks()) {
        owner = whoAsks();
        draft.value = new Draft();
    }
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
