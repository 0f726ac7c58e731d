/** Who has signed in, in which project; the way out, and into another project. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { navigate } from "../../state/route";
import { method, signOut } from "../../state/session";
import type { Session } from "../../state/session";

export function Who({ who }: { who: Session }) {
    const [isOpen, setOpen] = useState(false);
    const canLeave = method.value === "token" || method.value === "keystone";
    return (
        <span class="who">
            <span class="user">{who.user} in</span>
            {who.isAdmin ? (
                <button
                    type="button"
                    class="link"
                    aria-label={`Project ${who.project}, change it`}
                    onClick={() => setOpen(true)}
                >
                    {who.project}
                </button>
            ) : (
                who.project
            )}
            {canLeave && (
                <Button kind="quiet" onClick={() => signOut()}>
                    Sign out
                </Button>
            )}
            {isOpen && <ProjectDialog current={who.project} onClose={() => setOpen(false)} />}
        </span>
    );
}

function ProjectDialog({ current, onClose }: { current: string; onClose: () => void }) {
    const [name, setName] = useState(current);
    const enter = (event: Event): void => {
        event.preventDefault();
        onClose();
        if (name.trim())
            navigate({ project: name.trim(), section: "stacks", rest: [], query: {} });
    };
    return (
        <Dialog title="Another project" onClose={onClose}>
            <form class="row" onSubmit={enter}>
                <label class="field stretch">
                    <span>Name or id of the project</span>
                    <input
                        class="input"
                        value={name}
                        onInput={(event) => setName(event.currentTarget.value)}
                    />
                </label>
                <Button kind="primary" type="submit">
                    Show its stacks
                </Button>
            </form>
        </Dialog>
    );
}
