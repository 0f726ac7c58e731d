/** Prove who you are: with a token. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { ErrorBox } from "../../parts/Messages";
import { sessionError, signInWithToken } from "../../state/session";

export function SignIn() {
    const [token, setToken] = useState("");
    const [error, setError] = useState<unknown>(null);
    const submit = async (event: Event): Promise<void> => {
        event.preventDefault();
        try {
            await signInWithToken(token.trim());
        } catch (reason) {
            setError(reason);
        }
    };
    return (
        <main class="page-body">
            <h1>Sign in</h1>
            {sessionError.value && <p role="status">{sessionError.value}</p>}
            {error !== null && <ErrorBox error={error} />}
            <form onSubmit={(event) => void submit(event)}>
                <label class="field">
                    <span>Token</span>
                    <input
                        class="input"
                        type="password"
                        autocomplete="off"
                        value={token}
                        onInput={(event) => setToken(event.currentTarget.value)}
                    />
                </label>
                <Button kind="primary" type="submit">
                    Sign in
                </Button>
            </form>
        </main>
    );
}
