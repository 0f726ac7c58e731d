/** Prove who you are: with a token, or with credentials that the server takes to Keystone. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/Button";
import { ErrorBox } from "../../parts/Messages";
import {
    method,
    sessionError,
    signInWithCredentials,
    signInWithToken,
} from "../../state/session";
import "./sign-in.css";

type Kind = "password" | "v3applicationcredential" | "token";

interface Field {
    name: string;
    title: string;
    isSecret?: boolean;
    autocomplete?: "username" | "current-password";
    placeholder?: string;
}

const FIELDS: Record<Kind, Field[]> = {
    password: [
        { name: "username", title: "User name", autocomplete: "username" },
        {
            name: "password",
            title: "Password",
            isSecret: true,
            autocomplete: "current-password",
        },
        { name: "project_name", title: "Project" },
        { name: "user_domain_name", title: "Domain of the user", placeholder: "Default" },
        { name: "project_domain_name", title: "Domain of the project", placeholder: "Default" },
    ],
    v3applicationcredential: [
        { name: "application_credential_id", title: "Id of the application credential" },
        { name: "application_credential_secret", title: "Secret", isSecret: true },
    ],
    token: [{ name: "token", title: "Token", isSecret: true }],
};

const TITLES: Record<Kind, string> = {
    password: "Password",
    v3applicationcredential: "Application credential",
    token: "Token",
};

export function SignIn() {
    const kinds: Kind[] =
        method.value === "keystone"
            ? ["password", "v3applicationcredential", "token"]
            : ["token"];
    const [kind, setKind] = useState<Kind>(kinds[0] ?? "token");
    const [values, setValues] = useState<Record<string, string>>({});
    const [error, setError] = useState<unknown>(null);
    const [isBusy, setBusy] = useState(false);
    const submit = async (event: Event): Promise<void> => {
        event.preventDefault();
        setBusy(true);
        setError(null);
        try {
            if (kind === "token") await signInWithToken((values["token"] ?? "").trim());
            else await signInWithCredentials({ kind, ...given(kind, values) });
        } catch (reason) {
            setError(reason);
            setBusy(false);
        }
    };
    return (
        <main class="sign-in">
            <h1>
                <img src="/icon.svg" alt="" /> Sign in to Hotplate
            </h1>
            {sessionError.value && (
                <p class="note-box" role="status">
                    {sessionError.value}
                </p>
            )}
            {method.value === "secret" ? (
                <p>
                    This page is for whoever has its address. Press Enter where{" "}
                    <code>hotplate ui</code> runs: it prints another one.
                </p>
            ) : (
                <form onSubmit={(event) => void submit(event)}>
                    {kinds.length > 1 && (
                        <fieldset class="row">
                            <legend>With</legend>
                            {kinds.map((each) => (
                                <label key={each} class="row">
                                    <input
                                        type="radio"
                                        name="kind"
                                        checked={kind === each}
                                        onChange={() => setKind(each)}
                                    />
                                    {TITLES[each]}
                                </label>
                            ))}
                        </fieldset>
                    )}
                    {FIELDS[kind].map((field) => (
                        <FieldInput
                            key={field.name}
                            field={field}
                            value={values[field.name] ?? ""}
                            onChange={(value) => setValues({ ...values, [field.name]: value })}
                        />
                    ))}
                    {error !== null && <ErrorBox error={error} />}
                    <Button kind="primary" type="submit" disabled={isBusy}>
                        Sign in
                    </Button>
                    <p class="muted">
                        {method.value === "keystone"
                            ? "The server hands credentials to Keystone and keeps none."
                            : "The operator of the server gives you a token."}{" "}
                        The token is kept in the memory of this tab: a reload asks again.
                    </p>
                </form>
            )}
        </main>
    );
}

function given(kind: Kind, values: Record<string, string>): Record<string, string> {
    const found: Record<string, string> = {};
    for (const field of FIELDS[kind]) {
        const value = values[field.name] || field.placeholder;
        if (value) found[field.name] = value;
    }
    return found;
}

function FieldInput({
    field,
    value,
    onChange,
}: {
    field: Field;
    value: string;
    onChange: (value: string) => void;
}) {
    const shared = {
        class: "input",
        name: field.name,
        autocomplete: field.autocomplete ?? "off",
        placeholder: field.placeholder ?? "",
        value,
        onInput: (event: { currentTarget: HTMLInputElement }) =>
            onChange(event.currentTarget.value),
    };
    return (
        <label class="field">
            <span>{field.title}</span>
            {field.isSecret ? (
                <input type="password" {...shared} />
            ) : (
                <input type="text" {...shared} />
            )}
        </label>
    );
}
